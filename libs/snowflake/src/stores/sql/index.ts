export { sqlLeaseStore } from './sql-lease-store.js';
export type { SqlDatabaseSource } from './database-choice.js';
export type { DatabaseOptions, DataSourceLike, SqlDataSource } from './database-options.js';
export type { SqlLeaseStoreOptions } from './sql-options.js';
