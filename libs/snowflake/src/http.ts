export type { ClientIdOptions } from './core/client-ids/client-id-options.js';
export { bigintAsText, bigintsAsText } from './http/bigints-as-text.js';
export { ParseSnowflakeIdPipe, type ParseSnowflakeIdPipeOptions } from './http/parse-snowflake-id.pipe.js';
export { snowflakeIdSchema, type SnowflakeIdSchema } from './http/snowflake-id-schema.js';
export { SnowflakeExceptionFilter } from './http/snowflake-exception.filter.js';
