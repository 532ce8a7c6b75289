import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { HealthController } from './health.controller.js';
import { HealthReport } from './health-report.js';
import { SnowflakeHealthIndicator } from './snowflake.health.js';

@Module({
  // Its logger would write a line for every request while something is down.
  imports: [TerminusModule.forRoot({ logger: false })],
  controllers: [HealthController],
  providers: [HealthReport, SnowflakeHealthIndicator],
})
export class HealthModule {}
