/**
 * ID properties and generated keys for MikroORM.
 *
 * @module
 */
export { LossyDriverError } from '../../core/errors/setup-errors.js';
export { prepareDatabase, type SqliteDatabase, type SqliteStatement } from '../../kit/prepare-database.js';
export {
  snowflakeProperties,
  type BigIntTypeLike,
  type ExactType,
  type MikroOrmCore,
  type SnowflakeProperties,
  type SnowflakeProperty,
  type SnowflakeKeyProperty,
} from './snowflake-properties.js';
export type { OrmSchemaGenerator } from './kept-tables.js';
export { verifySnowflakeOrm, type OrmEntity, type OrmProperty, type SnowflakeOrm } from './verify.js';
