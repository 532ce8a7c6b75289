import 'reflect-metadata';
import { type INestApplicationContext, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type MeterProvider as MeterProviderApi, metrics } from '@opentelemetry/api';
import { SnowflakeIdMaker, SnowflakeModule, staticLeaseStore } from 'nestjs-snowflake';
import { observeSnowflakeMetrics, SnowflakeOpenTelemetryModule } from 'nestjs-snowflake/opentelemetry';
import { collectSnowflakeMetrics } from 'nestjs-snowflake/prometheus';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { Registry } from 'prom-client';
import { type RedisServer, startRedis } from '../support/servers/index.js';
import { waitFor } from '../support/wait.js';
import { LONG_WINDOW } from './long-window.js';
import { seriesOf } from './prometheus-text.js';
import { Telemetry } from './telemetry.js';
import { watchedMaker } from './watched-maker.js';

const TIMEOUT_MS = 50_000;

function appWith(url: string, ...imports: (Type | ReturnType<typeof SnowflakeModule.forRoot>)[]): Type {
  @Module({
    imports: [
      SnowflakeModule.forRoot({
        store: redisLeaseStore({ url, namespace: 'shop' }),
        lease: LONG_WINDOW,
      }),
      SnowflakeModule.forRoot({ name: 'audit', store: staticLeaseStore({ workerId: 7 }) }),
      ...imports,
    ],
  })
  class AppModule {}
  return AppModule;
}

describe('the OpenTelemetry metrics of an app', () => {
  let redis: RedisServer;
  let app: INestApplicationContext;
  const telemetry = new Telemetry();
  const shop = { 'snowflake.instance': 'default' };
  const audit = { 'snowflake.instance': 'audit' };

  beforeAll(async () => {
    redis = await startRedis();
    const { provider: meterProvider } = telemetry;
    const root = appWith(redis.url, SnowflakeOpenTelemetryModule.forRoot({ meterProvider }));
    app = await NestFactory.createApplicationContext(root, { logger: false });
  });
  afterAll(async () => {
    await app?.close();
    await redis?.stop();
    await telemetry.provider.shutdown();
  });

  it('shows what every instance has issued, its state, its worker ID and its window', async () => {
    app.get(SnowflakeIdMaker).nextIds(500);
    app.get<SnowflakeIdMaker>('SnowflakeIdMaker:audit').nextIds(3);
    expect(await telemetry.value('snowflake.ids.issued', shop)).toBe(500);
    expect(await telemetry.value('snowflake.ids.issued', audit)).toBe(3);
    expect(await telemetry.value('snowflake.worker_id', audit)).toBe(7);
    const state = { ...audit, 'snowflake.state': 'active' };
    expect(await telemetry.value('snowflake.lease.state', state)).toBe(1);
    expect(await telemetry.value('snowflake.lease.window_left', shop)).toBeLessThanOrEqual(
      LONG_WINDOW.windowMs / 1000,
    );
    expect(await telemetry.value('snowflake.lease.window_left', audit)).toBeUndefined();
  });

  it('gives each metric a name in lower case, a unit and a description', async () => {
    const found = [...(await telemetry.collected()).values()];
    expect(found.length).toBeGreaterThan(8);
    for (const { descriptor } of found) {
      expect(descriptor.name).toMatch(/^snowflake(\.[a-z_]+)+$/);
      expect(descriptor.unit).toMatch(/^(s|\{[a-z]+\})$/);
      expect(descriptor.description).not.toBe('');
    }
  });

  it('shows the duration of renewals', async () => {
    const name = 'snowflake.lease.renewal.duration';
    await waitFor('a renewal', TIMEOUT_MS, async () => (await telemetry.value(name, shop)) !== undefined);
    expect(await telemetry.value(name, shop)).toMatchObject({
      count: expect.any(Number),
      buckets: { boundaries: expect.arrayContaining([0.001, 5]) },
    });
  });

  it('reads no metrics after the app has shut down', async () => {
    const ids = app.get(SnowflakeIdMaker);
    await app.close();
    expect(ids.status().state).toBe('stopped');
    // The SDK repeats the last values.
    const state = { ...shop, 'snowflake.state': 'stopped' };
    expect(await telemetry.value('snowflake.lease.state', state)).toBe(0);
  });
});

describe('the metrics of both entry points', () => {
  it('uses the same names and labels as the Prometheus entry point, so that one dashboard suits both', async () => {
    const ids = new SnowflakeIdMaker({ store: staticLeaseStore({ workerId: 7 }) });
    await ids.start();
    const telemetry = new Telemetry();
    const registry = new Registry();
    observeSnowflakeMetrics(ids, { meterProvider: telemetry.provider });
    collectSnowflakeMetrics(ids, { registry });
    // The exporter for Node writes no units into names; the OpenTelemetry Collector and Prometheus itself do.
    const normalized = (text: string): string[] =>
      [...seriesOf(text).keys()]
        .map((series) => series.replace(/_seconds(?=\{)/, ''))
        .map((series) => series.replace(/\{(.*)\}/, (_, labels: string) => labels.split(',').sort().join()))
        .filter((series) => !series.includes('renewal_duration'))
        .sort();
    expect(normalized(await telemetry.prometheusText())).toEqual(normalized(await registry.metrics()));
    await ids.stop();
    await telemetry.provider.shutdown();
  });
});

describe('observeSnowflakeMetrics()', () => {
  it('uses the global provider by default, until its end function is called', async () => {
    const telemetry = new Telemetry();
    metrics.setGlobalMeterProvider(telemetry.provider);
    const { ids, listeners, reads, stop } = await watchedMaker();
    const end = observeSnowflakeMetrics(ids, { instance: 'worker' });
    expect(await telemetry.value('snowflake.worker_id', { 'snowflake.instance': 'worker' })).toBe(7);
    expect([listeners(), reads()]).toEqual([1, 1]);
    end();
    end();
    await telemetry.collected();
    expect([listeners(), reads()]).toEqual([0, 1]);
    metrics.disable();
    await stop();
    await telemetry.provider.shutdown();
  });

  it('stops reading when the maker stops', async () => {
    const telemetry = new Telemetry();
    const { ids, listeners, reads, stop } = await watchedMaker();
    observeSnowflakeMetrics(ids, { meterProvider: telemetry.provider });
    await stop();
    await telemetry.collected();
    expect([listeners(), reads()]).toEqual([0, 0]);
    await telemetry.provider.shutdown();
  });

  it('does nothing without an SDK of OpenTelemetry', async () => {
    const ids = new SnowflakeIdMaker({ store: staticLeaseStore({ workerId: 7 }) });
    const end = observeSnowflakeMetrics(ids);
    await ids.start();
    end();
    expect(ids.status().state).toBe('active');
    await ids.stop();
  });

  it('refuses a wrong provider and a wrong instance name', () => {
    const ids = new SnowflakeIdMaker({ store: staticLeaseStore({ workerId: 7 }) });
    const meterProvider = {} as MeterProviderApi;
    expect(() => observeSnowflakeMetrics(ids, { meterProvider })).toThrow('Pass a MeterProvider');
    const inspect = 'yes' as unknown as boolean;
    expect(() => observeSnowflakeMetrics(ids, { inspect })).toThrow('inspect');
    expect(() => observeSnowflakeMetrics(ids, { instance: 'not a name' })).toThrow(
      'not a valid instance name',
    );
    expect(() => SnowflakeOpenTelemetryModule.forRoot({ meterProvider })).toThrow('Pass a MeterProvider');
  });
});
