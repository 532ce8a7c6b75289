/**
 * A health indicator for @nestjs/terminus.
 *
 * @module
 */
export { SnowflakeHealthIndicator, type SnowflakeReadinessOptions } from './snowflake-health.indicator.js';
