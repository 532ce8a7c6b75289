import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  HealthCheck,
  type HealthCheckResult,
  HealthCheckService,
  TypeOrmHealthIndicator,
} from '@nestjs/terminus';
import { SkipThrottle } from '@nestjs/throttler';
import { HealthReport } from '../../../shared/src/health/health-report.js';
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
  check(): Promise<HealthCheckResult> {
    return this.report.of(() =>
      this.health.check([
        async () => this.database.pingCheck('database', { timeout: DATABASE_PING_TIMEOUT_MS }),
        () => this.snowflake.readiness('snowflake'),
      ]),
    );
  }
}
