import { Writable } from 'node:stream';
import { inspect } from 'node:util';
import { ConsoleLogger, type DynamicModule, Logger, Module } from '@nestjs/common';
import { Logger as PinoLogger, LoggerModule } from 'nestjs-pino';
import { memoryLeaseStore, SnowflakeModule } from 'nestjs-snowflake';
import { SnowflakeOpenTelemetryModule } from 'nestjs-snowflake/opentelemetry';
import { SnowflakePrometheusModule } from 'nestjs-snowflake/prometheus';
import { Registry } from 'prom-client';
import { HttpApp, PLATFORMS } from '../../../test/adapters/http-apps.js';
import { seriesOf } from '../../../test/adapters/prometheus-text.js';
import { Telemetry } from '../../../test/adapters/telemetry.js';
import { waitFor } from '../../../test/support/wait.js';
import { IDS_TOKEN, LEASE, send, startService, storeOfTests, TOKEN } from './service-app.js';

const nothing = (): void => undefined;
const failing = (): never => {
  throw new Error(`a defect that holds ${TOKEN}`);
};

/** An app with the service, and what reports its metrics. */
function withModule(imported: DynamicModule): DynamicModule {
  @Module({
    imports: [SnowflakeModule.forRoot({ store: memoryLeaseStore() }), imported],
    exports: [imported],
  })
  class WithModule {}
  return { module: WithModule };
}

/** One stream for all apps, because nestjs-pino keeps the logger of the first one in a process. */
const lines: string[] = [];
const stream = new Writable({
  write(chunk: Buffer, _encoding, done) {
    lines.push(chunk.toString());
    done();
  },
});

describe.each(PLATFORMS)('the log of the service on %s [promise: secrets]', (platform) => {
  it('names the request that failed, and shows no token', async () => {
    const logged: unknown[] = [];
    const service = await startService(platform, { authorize: failing });
    Logger.overrideLogger({ log: nothing, warn: nothing, error: (...all: unknown[]) => logged.push(...all) });
    try {
      const headers = { 'x-request-id': 'call-1' };
      expect((await send(service, 'v1/ids', { headers })).status).toBe(500);
      expect(logged).toContainEqual(
        expect.objectContaining({ requestId: 'call-1', code: 'SNOWFLAKE_INTERNAL' }),
      );
      expect(inspect(logged)).toContain('a defect');
      expect(inspect(logged, { depth: 9 }) + JSON.stringify(logged)).not.toContain(TOKEN);
    } finally {
      Logger.overrideLogger(false);
      await service.stop();
    }
  });

  it('has the request ID as a field of its own for nestjs-pino', async () => {
    const pino = LoggerModule.forRoot({ pinoHttp: { stream, autoLogging: false } });
    lines.length = 0;
    const service = await startService(platform, { authorize: failing }, withModule(pino), (app) =>
      app.useLogger(app.get(PinoLogger)),
    );
    try {
      await send(service, 'v1/ids', { headers: { 'x-request-id': 'call-2' } });
      const records = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
      expect(records).toContainEqual(
        expect.objectContaining({ requestId: 'call-2', context: 'SnowflakeService' }),
      );
    } finally {
      Logger.overrideLogger(new ConsoleLogger());
      Logger.overrideLogger(false);
      await service.stop();
    }
  });
});

const WITHIN_MS = 20_000;

async function callEverything(service: HttpApp): Promise<void> {
  await send(service, 'v1/ids', { body: { count: 3 } });
  await send(service, 'v1/ids?count=2');
  await send(service, 'v1/ids?count=0');
  await send(service, 'v1/ids/382475217496248322');
  await send(service, 'v1/leases/shop', { body: LEASE });
  await send(service, 'v1/leases/a-name-that-a-client-has-chosen', { body: LEASE });
  await send(service, 'v1/leases/shop', { token: IDS_TOKEN });
}

const CALLS: readonly (readonly [operation: string, code: string | undefined, count: number])[] = [
  ['ids', undefined, 2],
  ['ids', 'SNOWFLAKE_INVALID_REQUEST', 1],
  ['decode', undefined, 1],
  ['lease', undefined, 1],
  ['lease', 'SNOWFLAKE_UNKNOWN_NAME', 1],
  ['inspect-leases', 'SNOWFLAKE_FORBIDDEN', 1],
];

describe.each(PLATFORMS)('the metrics of the service on %s', (platform) => {
  it('count calls by operation and code in prom-client, and end with the app', async () => {
    const registry = new Registry();
    const service = await startService(
      platform,
      { leases: { shop: storeOfTests() } },
      withModule(SnowflakePrometheusModule.forRoot({ registry })),
    );
    const values = async (): Promise<Map<string, number>> => seriesOf(await registry.metrics());
    try {
      await callEverything(service);
      const seriesOfCall = (operation: string, code?: string): string =>
        `snowflake_service_calls_total{snowflake_operation="${operation}"${code ? `,error_type="${code}"` : ''}}`;
      for (const [operation, code, count] of CALLS) {
        const name = seriesOfCall(operation, code);
        await waitFor(name, WITHIN_MS, async () => (await values()).get(name) === count);
      }
      const measured = 'snowflake_service_call_duration_seconds_count{snowflake_operation="ids"}';
      await waitFor(measured, WITHIN_MS, async () => (await values()).get(measured) === 3);
      const duration = 'snowflake_service_call_duration_seconds';
      const sumMs = 1000 * (await values()).get(`${duration}_sum{snowflake_operation="ids"}`)!;
      expect(Math.abs(sumMs - Math.round(sumMs))).toBeGreaterThan(1e-6);
      expect([...(await values()).keys()]).toContain(
        `${duration}_bucket{le="0.0005",snowflake_operation="ids"}`,
      );
      expect(await registry.metrics()).not.toContain('a-name-that-a-client-has-chosen');
    } finally {
      await service.stop();
    }
    expect(registry.getMetricsAsArray()).toEqual([]);
  });

  it('count calls by operation and code in OpenTelemetry', async () => {
    const telemetry = new Telemetry();
    const service = await startService(
      platform,
      { leases: { shop: storeOfTests() } },
      withModule(SnowflakeOpenTelemetryModule.forRoot({ meterProvider: telemetry.provider })),
    );
    try {
      await callEverything(service);
      for (const [operation, code, count] of CALLS) {
        const attributes = { 'snowflake.operation': operation, ...(code && { 'error.type': code }) };
        const valueNow = async (): Promise<unknown> => {
          const value = await telemetry.value('snowflake.service.calls', attributes);
          return value === count && value;
        };
        expect(await waitFor(operation, WITHIN_MS, valueNow)).toBe(count);
      }
    } finally {
      await service.stop();
    }
  });

  it('count a client that closes its connection before the response', async () => {
    const registry = new Registry();
    const abort = new AbortController();
    // Replies after the test, as a store that hangs does.
    const silent = { ...storeOfTests(), lease: () => (abort.abort(), new Promise<never>(nothing)) };
    const service = await startService(
      platform,
      { leases: { shop: silent }, callTimeoutMs: 60_000 },
      withModule(SnowflakePrometheusModule.forRoot({ registry })),
    );
    try {
      const headers = {
        authorization: `Bearer ${TOKEN}`,
        'content-type': 'application/json',
        'snowflake-call': 'call-1',
      };
      const request = { method: 'POST', headers, body: JSON.stringify(LEASE), signal: abort.signal };
      await expect(fetch(`${service.url}/v1/leases/shop`, request)).rejects.toThrow('abort');
      await waitFor('the closed call in the metrics', WITHIN_MS, async () => {
        const values = seriesOf(await registry.metrics());
        return (
          values.get(
            'snowflake_service_calls_total{snowflake_operation="lease",error_type="CLIENT_CLOSED"}',
          ) === 1
        );
      });
    } finally {
      await service.stop();
    }
  });

  it('leave a registry to the app that still uses it', async () => {
    const registry = new Registry();
    const start = (): Promise<HttpApp> =>
      startService(platform, {}, withModule(SnowflakePrometheusModule.forRoot({ registry })));
    const [first, second] = [await start(), await start()];
    await first.stop();
    await send(second, 'v1/ids');
    const name = 'snowflake_service_calls_total{snowflake_operation="ids"}';
    await waitFor(name, WITHIN_MS, async () => seriesOf(await registry.metrics()).get(name) === 1);
    await second.stop();
    expect(registry.getMetricsAsArray()).toEqual([]);
  });
});
