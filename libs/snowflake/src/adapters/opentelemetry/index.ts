/**
 * Metrics of ID makers for OpenTelemetry.
 *
 * @module
 */
export {
  observeSnowflakeMetrics,
  type ObserveSnowflakeMetricsOptions,
  type SnowflakeOpenTelemetryOptions,
} from './observe-snowflake-metrics.js';
export { SnowflakeOpenTelemetryModule } from './snowflake-opentelemetry.module.js';
