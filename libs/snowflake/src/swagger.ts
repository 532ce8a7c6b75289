export {
  ApiSnowflakeId,
  type ApiSnowflakeIdOptions,
  ApiSnowflakeIdParam,
  ApiSnowflakeIdQuery,
  SNOWFLAKE_ID_SCHEMA,
  type SnowflakeIdNotation,
} from './swagger/api-snowflake-id.js';
