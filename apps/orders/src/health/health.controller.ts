import { Controller, Get, ServiceUnavailableException } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  HealthCheck,
  type HealthCheckResult,
  HealthCheckService,
  TypeOrmHealthIndicator,
} from '@nestjs/terminus';
import { SkipThrottle } from '@nestjs/throttler';
import { HealthReport } from './health-report.js';
import { SnowflakeHealthIndicator } from 'nestjs-snowflake/terminus';

const DATABASE_PING_TIMEOUT_MS = 1_500;

/** Exempt from the rate limit, because an orchestrator sends all its probes from a few addresses. */
@SkipThrottle()
@ApiTags('health')
@Controller('health')
export class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly database: TypeOrmHealthIndicator,
    private readonly snowflake: SnowflakeHealthIndicator,
    private readonly report: HealthReport,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Reports whether the database responds and IDs can be made' })
  @HealthCheck()
  async check(): Promise<HealthCheckResult> {
    try {
      return this.report.shown(await this.checkAll());
    } catch (error) {
      if (!(error instanceof ServiceUnavailableException)) throw error;
      throw new ServiceUnavailableException(this.report.shown(error.getResponse() as HealthCheckResult));
    }
  }

  private checkAll(): Promise<HealthCheckResult> {
    return this.health.check([
      async () => this.database.pingCheck('database', { timeout: DATABASE_PING_TIMEOUT_MS }),
      () => this.snowflake.readiness('snowflake'),
    ]);
  }
}
