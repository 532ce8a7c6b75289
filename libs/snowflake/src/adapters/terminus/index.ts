export { SnowflakeHealthIndicator, type SnowflakeReadinessOptions } from './snowflake-health.indicator.js';
