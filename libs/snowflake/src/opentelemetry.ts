export {
  observeSnowflakeMetrics,
  type ObserveSnowflakeMetricsOptions,
  type SnowflakeOpenTelemetryOptions,
} from './opentelemetry/observe-snowflake-metrics.js';
export { SnowflakeOpenTelemetryModule } from './opentelemetry/snowflake-opentelemetry.module.js';
