export type { ClientIdOptions } from '../core/index.js';
export { ParseSnowflakeIdPipe, type ParseSnowflakeIdPipeOptions } from './parse-snowflake-id.pipe.js';
export { SnowflakeExceptionFilter } from './snowflake-exception.filter.js';
