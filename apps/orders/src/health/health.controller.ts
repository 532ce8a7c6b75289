import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  HealthCheck,
  type HealthCheckResult,
  HealthCheckService,
  TypeOrmHealthIndicator,
} from '@nestjs/terminus';
import { SnowflakeHealthIndicator } from './snowflake.health.js';

const DATABASE_PING_TIMEOUT_MS = 1_500;

@ApiTags('health')
@Controller('health')
export class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly database: TypeOrmHealthIndicator,
    private readonly snowflake: SnowflakeHealthIndicator,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Says whether the database answers and IDs can be made' })
  @HealthCheck()
  check(): Promise<HealthCheckResult> {
    return this.health.check([
      async () => this.database.pingCheck('database', { timeout: DATABASE_PING_TIMEOUT_MS }),
      () => this.snowflake.check('snowflake'),
    ]);
  }
}
