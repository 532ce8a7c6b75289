/**
 * Validates the IDs of requests, answers errors with their status codes, and writes bigints as strings in JSON.
 *
 * @module
 */
export type { ClientIdOptions } from '../../core/client-ids/client-id-options.js';
export { bigintAsText, bigintsAsText } from './bigints-as-text.js';
export { ParseSnowflakeIdPipe, type ParseSnowflakeIdPipeOptions } from './parse-snowflake-id.pipe.js';
export { snowflakeIdSchema, type SnowflakeIdSchema } from './snowflake-id-schema.js';
export { SnowflakeExceptionFilter } from './snowflake-exception.filter.js';
