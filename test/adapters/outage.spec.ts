import 'reflect-metadata';
import { Controller, Get, Header, HttpCode, Module, Post, type Type } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { HealthCheck, type HealthCheckResult, HealthCheckService, TerminusModule } from '@nestjs/terminus';
import { LeaseExhaustedError, SnowflakeIdMaker, SnowflakeModule } from 'nestjs-snowflake';
import { SnowflakeExceptionFilter } from 'nestjs-snowflake/http';
import { SnowflakeOpenTelemetryModule } from 'nestjs-snowflake/opentelemetry';
import { SnowflakePrometheusModule } from 'nestjs-snowflake/prometheus';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { SnowflakeHealthIndicator } from 'nestjs-snowflake/terminus';
import { register } from 'prom-client';
import { type RedisServer, startRedis } from '../support/servers/index.js';
import { waitFor } from '../support/wait.js';
import { HttpApp } from './http-apps.js';
import { LONG_WINDOW } from './long-window.js';
import { seriesOf } from './prometheus-text.js';
import { Telemetry } from './telemetry.js';

const TIMEOUT_MS = 25_000;
const ADDRESS = /127\.0\.0\.1|redis|ECONNREFUSED/i;

@Controller()
class AppController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly snowflake: SnowflakeHealthIndicator,
    private readonly ids: SnowflakeIdMaker,
  ) {}

  @Get('ready')
  @HealthCheck()
  ready(): Promise<HealthCheckResult> {
    return this.health.check([() => this.snowflake.readiness('snowflake')]);
  }

  @Get('live')
  @HealthCheck()
  live(): Promise<HealthCheckResult> {
    return this.health.check([() => this.snowflake.liveness('snowflake')]);
  }

  @Get('metrics')
  @Header('content-type', register.contentType)
  metrics(): Promise<string> {
    return register.metrics();
  }

  @Post('orders')
  @HttpCode(201)
  create(): { id: string } {
    return { id: this.ids.nextId() };
  }
}

const telemetry = new Telemetry();

function appWith(url: string): Type {
  @Module({
    imports: [
      TerminusModule.forRoot({ logger: false }),
      SnowflakeModule.forRoot({
        store: redisLeaseStore({ url, namespace: 'shop' }),
        // Few IDs per millisecond, so that the reserve is used up quickly.
        layout: { workerBits: 10, sequenceBits: 4 },
        lease: LONG_WINDOW,
      }),
      SnowflakePrometheusModule,
      SnowflakeOpenTelemetryModule.forRoot({ meterProvider: telemetry.provider }),
    ],
    controllers: [AppController],
    providers: [SnowflakeHealthIndicator, { provide: APP_FILTER, useClass: SnowflakeExceptionFilter }],
  })
  class AppModule {}
  return AppModule;
}

/** One app and one outage for all tests, which follow each other in time. */
describe('an app whose Redis becomes unreachable [promise: fail-closed]', () => {
  let redis: RedisServer;
  let app: HttpApp;
  let ids: SnowflakeIdMaker;
  const shop = { 'snowflake.instance': 'default' };
  const value = async (name: string, labels = ''): Promise<number | undefined> =>
    seriesOf(await app.text('/metrics')).get(
      `snowflake_lease_${name}{snowflake_instance="default"${labels}}`,
    );
  const failures = (code: string): Promise<number | undefined> =>
    value('failures_total', `,error_type="SNOWFLAKE_STORE_${code}"`);

  beforeAll(async () => {
    redis = await startRedis();
    app = await HttpApp.start('Express', appWith(redis.url));
    ids = app.app.get(SnowflakeIdMaker);
  });
  afterAll(async () => {
    await app?.stop();
    await redis?.stop();
    await telemetry.provider.shutdown();
  });

  it('counts failed calls and reports degraded, ready and alive once the window is used up', async () => {
    expect((await app.post('/orders', '{}')).status).toBe(201);
    const countedBefore = await failures('UNAVAILABLE');
    const away = { ...shop, 'error.type': 'SNOWFLAKE_STORE_UNAVAILABLE' };
    const observedBefore = await telemetry.value('snowflake.lease.failures', away);
    // Doesn't end: a Redis that restarts makes newcomers wait for the windows that it may have forgotten.
    redis.pause();
    await waitFor('the state degraded', TIMEOUT_MS, () => ids.status().state === 'degraded');

    expect(await app.get('/ready')).toMatchObject({
      status: 200,
      body: { details: { snowflake: { status: 'degraded' } } },
    });
    expect((await app.get('/live')).status).toBe(200);
    expect(await failures('UNAVAILABLE')).toBeGreaterThan(countedBefore!);
    expect(await failures('REJECTED')).toBe(0);
    expect(await telemetry.value('snowflake.lease.failures', away)).toBeGreaterThan(Number(observedBefore));
    const degraded = { ...shop, 'snowflake.state': 'degraded' };
    expect(await telemetry.value('snowflake.lease.state', degraded)).toBe(1);
  });

  it('responds with 503 to requests for IDs, and is alive but not ready, once the reserve is used up', async () => {
    expect(() => {
      while (ids.canIssue) ids.nextBigInts(1000);
    }).toThrow(LeaseExhaustedError);
    expect(await app.get('/ready')).toMatchObject({
      status: 503,
      body: { details: { snowflake: { status: 'down', state: 'exhausted' } } },
    });
    expect((await app.get('/live')).status).toBe(200);

    const refused = await app.post('/orders', '{}');
    expect(refused).toMatchObject({
      status: 503,
      body: { message: "The server can't do this right now. Send the request again." },
    });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await value('state', ',snowflake_state="exhausted"')).toBe(1);
    expect(await value('window_left_seconds')).toBeLessThanOrEqual(LONG_WINDOW.reserveMs / 1000);
  });

  it('shows no address and no text of an error to clients', async () => {
    expect(JSON.stringify((await app.get('/ready')).body)).not.toMatch(ADDRESS);
    expect(JSON.stringify((await app.post('/orders', '{}')).body)).not.toMatch(ADDRESS);
    expect(await app.text('/metrics')).not.toMatch(ADDRESS);
    expect(await telemetry.prometheusText()).not.toMatch(ADDRESS);
  });

  it('generates IDs again once Redis is reachable', async () => {
    redis.resume();
    await waitFor('the state active', TIMEOUT_MS, () => ids.status().state === 'active');
    expect((await app.post('/orders', '{}')).status).toBe(201);
    expect(await app.get('/ready')).toMatchObject({
      status: 200,
      body: { details: { snowflake: { status: 'up' } } },
    });
  });
});
