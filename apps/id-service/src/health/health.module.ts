import { type DynamicModule, Module } from '@nestjs/common';
import { HealthIndicatorService, TerminusModule } from '@nestjs/terminus';
import { getSnowflakeToken, type SnowflakeIdMaker } from 'nestjs-snowflake';
import { SnowflakeHealthIndicator } from 'nestjs-snowflake/terminus';
import { HealthReport } from '../../../shared/src/health/health-report.js';
import type { Environment } from '../config/environment.js';
import { HealthController } from './health.controller.js';

// No logger, because it would write a line per request while an instance is down.
@Module({ imports: [TerminusModule.forRoot({ logger: false })], controllers: [HealthController] })
export class HealthModule {
  static forRoot({ ID_INSTANCES: [first] }: Environment): DynamicModule {
    return {
      module: HealthModule,
      providers: [
        HealthReport,
        {
          // Nest would inject the instance `default`, which this service may not have.
          provide: SnowflakeHealthIndicator,
          inject: [HealthIndicatorService, getSnowflakeToken(first)],
          useFactory: (indicators: HealthIndicatorService, ids: SnowflakeIdMaker) =>
            new SnowflakeHealthIndicator(indicators, ids),
        },
      ],
    };
  }
}
