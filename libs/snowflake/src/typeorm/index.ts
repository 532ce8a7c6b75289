export { attachSnowflake, snowflakeSubscriber } from './attach.js';
export type { SnowflakeColumnOptions, SnowflakeColumnType, SnowflakeIdOptions } from './column-definition.js';
export { SnowflakeColumn, SnowflakeId } from './decorators.js';
export { snowflakeColumn, snowflakeIdColumn } from './entity-schema.js';
export type { SnowflakeIdSources } from './id-sources.js';
export { prepareDatabase, type SqliteDatabase, type SqliteStatement } from './prepare-database.js';
export { SnowflakeIdTransformer } from './snowflake-id-transformer.js';
export { SnowflakeSubscriber } from './snowflake-subscriber.js';
export { verifySnowflakeDataSource } from './verify.js';
