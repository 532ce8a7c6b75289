/**
 * What the packages of this project read in a DataSource of TypeORM. It is not API and has no semver: any release can change
 * it.
 *
 * @module
 */
export { whenAssigned } from './typeorm/attach.js';
export type { ColumnMetadata } from './typeorm/declared-columns.js';
export { requireExactColumns } from './typeorm/column-types.js';
export { refuseToDropValues } from './typeorm/dropped-columns.js';
export { FAMILIES, PROBE } from './kit/sql/column-families.js';
export { findSnowflakeColumns } from './typeorm/snowflake-columns.js';
export { dataSourcesAmong } from './typeorm/typeorm-adapter.js';
export { requireWrappedSchemas } from './typeorm/verify.js';
