import { Module } from '@nestjs/common';
import { SnowflakeOpenTelemetryModule } from 'nestjs-snowflake/opentelemetry';
import { SnowflakePrometheusModule } from 'nestjs-snowflake/prometheus';
import { MetricsController } from './metrics.controller.js';

// Serves Prometheus and OpenTelemetry. The latter reports nothing until the process starts an SDK.
@Module({
  imports: [SnowflakePrometheusModule, SnowflakeOpenTelemetryModule],
  controllers: [MetricsController],
})
export class MetricsModule {}
