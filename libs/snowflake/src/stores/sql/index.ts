/**
 * Leases worker IDs in PostgreSQL, MariaDB, MySQL or SQLite.
 *
 * @module
 */
export { sqlLeaseStore } from './sql-lease-store.js';
export type { SqlDatabaseSource, SqlStoreOptions } from '../../kit/sql/database/database-choice.js';
export type {
  DatabaseOptions,
  DataSourceLike,
  SqlDataSource,
} from '../../kit/sql/database/database-options.js';
export type { SqlLeaseStoreOptions } from './sql-options.js';
