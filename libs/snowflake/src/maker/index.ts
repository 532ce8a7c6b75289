export { SnowflakeIdMaker } from './snowflake-id-maker.js';
export type { SnowflakeOptions, SnowflakeDependencies } from './snowflake-options.js';
export type { SnowflakeStatus } from './snowflake-status.js';
