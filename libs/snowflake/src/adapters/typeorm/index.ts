/**
 * ID columns and generated keys for TypeORM.
 *
 * @module
 */
export {
  ColumnDropError,
  ColumnTypeError,
  LossyDriverError,
  MissingSubscriberError,
  UnknownInstanceError,
  type ColumnInDatabase,
} from '../../core/errors/setup-errors.js';
export { attachSnowflake, snowflakeSubscriber } from './attach.js';
export type { SnowflakeColumnOptions, SnowflakeColumnType, SnowflakeIdOptions } from './column-definition.js';
export { CreateSnowflakeLeaseTables1767225600000 } from './create-lease-tables.js';
export { createdBetween, type IdRangeReader } from './created-between.js';
export { SnowflakeColumn, SnowflakeId } from './decorators.js';
export { snowflakeColumn, snowflakeIdColumn, snowflakeSchema } from './entity-schema.js';
export type { IdSourceName } from '../../core/ids/id-source-name.js';
export type { IdPropertyDecorator } from './id-property-decorator.js';
export type { SnowflakeIdSources } from './id-sources.js';
export { SegmentId, type SegmentIdOptions } from './segment-id.js';
export { prepareDatabase, type SqliteDatabase, type SqliteStatement } from '../../kit/prepare-database.js';
export { SnowflakeSubscriber } from './snowflake-subscriber.js';
export { verifySnowflakeDataSource } from './verify.js';
