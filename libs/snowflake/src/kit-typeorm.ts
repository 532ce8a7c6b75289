/**
 * What the packages of this project read in a DataSource of TypeORM. It is not API and has no semver: any release can change
 * it.
 *
 * @module
 */
export { whenAssigned } from './adapters/typeorm/attach.js';
export type { ColumnMetadata } from './adapters/typeorm/declared-columns.js';
export { requireExactColumns } from './adapters/typeorm/column-types.js';
export { refuseToDropValues } from './adapters/typeorm/dropped-columns.js';
export { FAMILIES, PROBE } from './kit/sql/column-families.js';
export { findSnowflakeColumns } from './adapters/typeorm/snowflake-columns.js';
export { dataSourcesAmong } from './adapters/typeorm/typeorm-adapter.js';
export { requireWrappedSchemas } from './adapters/typeorm/verify.js';
