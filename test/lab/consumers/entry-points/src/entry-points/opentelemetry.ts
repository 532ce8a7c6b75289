import { metrics } from '@opentelemetry/api';
import { SnowflakeIdMaker } from 'nestjs-snowflake';
import { observeSnowflakeMetrics, SnowflakeOpenTelemetryModule } from 'nestjs-snowflake/opentelemetry';
import type { EntryPointUse } from '../entry-point-use.js';

/** Without an SDK: then the metrics go nowhere, and the app runs all the same. */
export const opentelemetry: EntryPointUse = {
  imports: [SnowflakeOpenTelemetryModule],
  async use(app) {
    const end = observeSnowflakeMetrics(app.get(SnowflakeIdMaker), {
      instance: 'other',
      meterProvider: metrics.getMeterProvider(),
    });
    end();
    return typeof end;
  },
};
