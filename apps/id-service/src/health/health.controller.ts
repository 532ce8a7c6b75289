import { Catch, Controller, Get, ServiceUnavailableException, UseFilters } from '@nestjs/common';
import { BaseExceptionFilter, ModulesContainer } from '@nestjs/core';
import { ApiOperation } from '@nestjs/swagger';
import {
  HealthCheck,
  type HealthCheckResult,
  HealthCheckService,
  type HealthIndicatorFunction,
} from '@nestjs/terminus';
import { SkipThrottle } from '@nestjs/throttler';
import { idMakersIn, type SnowflakeIdMaker } from 'nestjs-snowflake';
import { SnowflakeHealthIndicator } from 'nestjs-snowflake/terminus';
import { HealthReport } from '../../../shared/src/health/health-report.js';

/** Answers with the report of a failed check as it is: orchestrators and monitoring read it. */
@Catch(ServiceUnavailableException)
class ReportFilter extends BaseExceptionFilter {}

/** Exempt from the rate limit, because an orchestrator sends all its probes from a few addresses. */
@SkipThrottle()
@UseFilters(ReportFilter)
@Controller('health')
export class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly snowflake: SnowflakeHealthIndicator,
    private readonly report: HealthReport,
    private readonly modules: ModulesContainer,
  ) {}

  /** Whether each instance can generate IDs. */
  @Get()
  @ApiOperation({ operationId: 'getReadiness', summary: 'Whether each instance can generate IDs' })
  @HealthCheck()
  readiness(): Promise<HealthCheckResult> {
    return this.of((name, ids) => () => this.snowflake.readiness(name, { ids }));
  }

  /** Whether a restart wouldn't help. */
  @Get('live')
  @ApiOperation({ operationId: 'getLiveness', summary: "Whether a restart wouldn't help" })
  @HealthCheck()
  liveness(): Promise<HealthCheckResult> {
    return this.of((name, ids) => () => this.snowflake.liveness(name, ids));
  }

  private of(
    check: (name: string, ids: SnowflakeIdMaker) => HealthIndicatorFunction,
  ): Promise<HealthCheckResult> {
    const checks = [...idMakersIn(this.modules)].map(([name, ids]) => check(name, ids));
    return this.report.of(() => this.health.check(checks));
  }
}
