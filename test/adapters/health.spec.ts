import 'reflect-metadata';
import { Controller, Get, Module } from '@nestjs/common';
import { HealthCheck, type HealthCheckResult, HealthCheckService, TerminusModule } from '@nestjs/terminus';
import { SnowflakeModule } from 'nestjs-snowflake';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { SnowflakeHealthIndicator } from 'nestjs-snowflake/terminus';
import { type RedisServer, startRedis } from '../support/servers/index.js';
import { LONG_WINDOW } from './long-window.js';
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
        lease: LONG_WINDOW,
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

  it('reports ready and alive while the lease is held', async () => {
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

  it('reports not ready below a threshold of the window', async () => {
    expect(await app.get('/health/strict')).toMatchObject({
      status: 503,
      body: { details: { snowflake: { status: 'down', state: 'active' } } },
    });
  });
});
