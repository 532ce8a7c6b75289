/**
 * Describes IDs in OpenAPI documents.
 *
 * @module
 */
export {
  ApiSnowflakeId,
  type ApiSnowflakeIdOptions,
  ApiSnowflakeIdParam,
  ApiSnowflakeIdQuery,
  SNOWFLAKE_ID_SCHEMA,
  type SnowflakeIdNotation,
} from './api-snowflake-id.js';
