export {
  collectSnowflakeMetrics,
  type CollectSnowflakeMetricsOptions,
  type SnowflakePrometheusOptions,
} from './prometheus/collect-snowflake-metrics.js';
export { SnowflakePrometheusModule } from './prometheus/snowflake-prometheus.module.js';
