export {
  ColumnDropError,
  ColumnTypeError,
  LossyDriverError,
  MissingSubscriberError,
  UnknownInstanceError,
  type ColumnInDatabase,
} from './core/errors/setup-errors.js';
export { attachSnowflake, snowflakeSubscriber } from './typeorm/attach.js';
export type {
  SnowflakeColumnOptions,
  SnowflakeColumnType,
  SnowflakeIdOptions,
} from './typeorm/column-definition.js';
export { CreateSnowflakeLeaseTables1767225600000 } from './typeorm/create-lease-tables.js';
export { createdBetween, type IdRangeReader } from './typeorm/created-between.js';
export { SnowflakeColumn, SnowflakeId } from './typeorm/decorators.js';
export { snowflakeColumn, snowflakeIdColumn, snowflakeSchema } from './typeorm/entity-schema.js';
export type { IdSourceName } from './core/ids/id-source-name.js';
export type { IdPropertyDecorator } from './typeorm/id-property-decorator.js';
export type { SnowflakeIdSources } from './typeorm/id-sources.js';
export { SegmentId, type SegmentIdOptions } from './typeorm/segment-id.js';
export { prepareDatabase, type SqliteDatabase, type SqliteStatement } from './kit/prepare-database.js';
export { SnowflakeSubscriber } from './typeorm/snowflake-subscriber.js';
export { verifySnowflakeDataSource } from './typeorm/verify.js';
