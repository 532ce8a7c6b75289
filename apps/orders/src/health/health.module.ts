import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { HealthController } from './health.controller.js';
import { SnowflakeHealthIndicator } from './snowflake.health.js';

@Module({
  imports: [TerminusModule],
  controllers: [HealthController],
  providers: [SnowflakeHealthIndicator],
})
export class HealthModule {}
