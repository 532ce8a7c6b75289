export {
  SnowflakeHealthIndicator,
  type SnowflakeReadinessOptions,
} from './terminus/snowflake-health.indicator.js';
