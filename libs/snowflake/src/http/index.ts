export type { ClientIdOptions } from '../core/index.js';
export { ParseSnowflakeIdPipe, type ParseSnowflakeIdPipeOptions } from './parse-snowflake-id.pipe.js';
export { snowflakeIdSchema, type SnowflakeIdSchema } from './snowflake-id-schema.js';
export { SnowflakeExceptionFilter } from './snowflake-exception.filter.js';
