import { Controller, Get } from '@nestjs/common';
import { HealthCheck, HealthCheckService, TerminusModule } from '@nestjs/terminus';
import { SnowflakeHealthIndicator } from 'nestjs-snowflake/terminus';
import type { EntryPointUse } from '../entry-point-use.js';

@Controller('health')
class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly snowflake: SnowflakeHealthIndicator,
  ) {}

  @Get()
  @HealthCheck()
  check() {
    return this.health.check([
      () => this.snowflake.readiness('ready', { minWindowLeftMs: 1 }),
      () => this.snowflake.liveness('alive'),
    ]);
  }
}

export const terminus: EntryPointUse = {
  imports: [TerminusModule],
  controllers: [HealthController],
  providers: [SnowflakeHealthIndicator],
  async use(_app, url) {
    const { details } = (await (await fetch(`${url}/health`)).json()) as {
      details: Record<'ready' | 'alive', { status: string }>;
    };
    return [details.ready.status, details.alive.status];
  },
};
