import { Module } from '@nestjs/common';
import { SnowflakePrometheusModule } from 'nestjs-snowflake/prometheus';
import { MetricsController } from './metrics.controller.js';

@Module({ imports: [SnowflakePrometheusModule], controllers: [MetricsController] })
export class MetricsModule {}
