/**
 * ID columns and generated keys for Drizzle.
 *
 * @module
 */
export {
  snowflakeType,
  type SnowflakeDialect,
  type SnowflakeType,
  type SnowflakeTypeParams,
  type SqlTag,
} from './snowflake-type.js';
