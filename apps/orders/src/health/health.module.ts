import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { HealthController } from './health.controller.js';
import { HealthReport } from '../../../shared/src/health/health-report.js';
import { SnowflakeHealthIndicator } from 'nestjs-snowflake/terminus';

@Module({
  // No logger, because it would write a line per request while a component is down.
  imports: [TerminusModule.forRoot({ logger: false })],
  controllers: [HealthController],
  providers: [HealthReport, SnowflakeHealthIndicator],
})
export class HealthModule {}
