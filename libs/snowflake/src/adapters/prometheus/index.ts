/**
 * Metrics of ID makers for Prometheus.
 *
 * @module
 */
export {
  collectSnowflakeMetrics,
  type CollectSnowflakeMetricsOptions,
  type SnowflakePrometheusOptions,
} from './collect-snowflake-metrics.js';
export { SnowflakePrometheusModule } from './snowflake-prometheus.module.js';
