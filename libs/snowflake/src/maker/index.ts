export { SnowflakeIdMaker, type SnowflakeStatus } from './snowflake-id-maker.js';
export type { SnowflakeOptions, SnowflakeSurroundings } from './snowflake-options.js';
