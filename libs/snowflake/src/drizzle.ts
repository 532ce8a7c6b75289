export {
  snowflakeType,
  type SnowflakeDialect,
  type SnowflakeType,
  type SnowflakeTypeParams,
  type SqlTag,
} from './drizzle/snowflake-type.js';
