import 'reflect-metadata';
import { Controller, Get, Module } from '@nestjs/common';
import { HealthCheck, type HealthCheckResult, HealthCheckService, TerminusModule } from '@nestjs/terminus';
import { LeaseExhaustedError, SnowflakeIdMaker, SnowflakeModule } from 'nestjs-snowflake';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { SnowflakeHealthIndicator } from 'nestjs-snowflake/terminus';
import { type RedisServer, startRedis } from '../support/servers/index.js';
import { waitFor } from '../support/wait.js';
import { PATIENT_LEASE } from './patient-lease.js';
import { HttpApp, PLATFORMS } from './http-apps.js';

@Controller('health')
class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly snowflake: SnowflakeHealthIndicator,
  ) {}

  @Get('ready')
  @HealthCheck()
  ready(): Promise<HealthCheckResult> {
    return this.health.check([() => this.snowflake.readiness('snowflake')]);
  }

  @Get('strict')
  @HealthCheck()
  strict(): Promise<HealthCheckResult> {
    return this.health.check([() => this.snowflake.readiness('snowflake', { minWindowLeftMs: 86_400_000 })]);
  }

  @Get('live')
  @HealthCheck()
  live(): Promise<HealthCheckResult> {
    return this.health.check([() => this.snowflake.liveness('snowflake')]);
  }
}

function appWith(url: string) {
  @Module({
    imports: [
      TerminusModule.forRoot({ logger: false }),
      SnowflakeModule.forRoot({
        store: redisLeaseStore({ url, namespace: 'health' }),
        lease: PATIENT_LEASE,
      }),
    ],
    controllers: [HealthController],
    providers: [SnowflakeHealthIndicator],
  })
  class AppModule {}
  return AppModule;
}

describe.each(PLATFORMS)('the health of the ID maker on %s', (platform) => {
  let redis: RedisServer;
  let app: HttpApp;
  beforeAll(async () => {
    redis = await startRedis();
    app = await HttpApp.start(platform, appWith(redis.url));
  });
  afterAll(async () => {
    await app?.stop();
    await redis?.stop();
  });

  it('is ready and alive while the lease is held', async () => {
    const details = {
      state: 'active',
      workerId: expect.any(Number),
      windowLeftMs: expect.any(Number),
      driftMs: 0,
    };
    for (const path of ['/health/ready', '/health/live']) {
      expect(await app.get(path)).toMatchObject({
        status: 200,
        body: { details: { snowflake: { status: 'up', ...details } } },
      });
    }
  });

  it('is not ready below a threshold', async () => {
    expect(await app.get('/health/strict')).toMatchObject({
      status: 503,
      body: { details: { snowflake: { status: 'down', state: 'active' } } },
    });
  });

  it('is degraded, then not ready, but alive while the store is away, and tells no address', async () => {
    await redis.stop();
    const ids = app.app.get(SnowflakeIdMaker);
    await waitFor('the state degraded', 50_000, () => ids.status().state === 'degraded');
    expect(await app.get('/health/ready')).toMatchObject({
      status: 200,
      body: { details: { snowflake: { status: 'degraded' } } },
    });
    // The reserve is spent by IDs, not by time.
    expect(() => {
      while (ids.canIssue) ids.nextBigInts(10_000);
    }).toThrow(LeaseExhaustedError);
    const answer = await app.get('/health/ready');
    expect(answer).toMatchObject({
      status: 503,
      body: { details: { snowflake: { status: 'down', state: 'exhausted' } } },
    });
    expect(JSON.stringify(answer.body)).not.toMatch(/127\.0\.0\.1|redis|ECONNREFUSED/);
    expect(await app.get('/health/live')).toMatchObject({ status: 200 });
  });
});
