/**
 * What the packages of this project share for SQL databases. It is not API and has no semver: any release can change it.
 *
 * @module
 */
export {
  chosenDatabase,
  DATABASE,
  DATABASE_OPTIONS,
  databaseOfUrl,
  dataSourceOptions,
  type SqlDatabaseSource,
  type SqlStoreOptions,
} from './kit/sql/database/database-choice.js';
export type { DatabaseOptions, SqlDataSource } from './kit/sql/database/database-options.js';
export type { LossySetting } from './kit/sql/dialects/dialect.js';
export { kindOf, requireSharedDatabase } from './kit/sql/dialects/dialects.js';
export {
  ConcurrentWriteError,
  means,
  NoHistory,
  refusalSubject,
  type RefusalSubject,
  toStoreError,
} from './kit/sql/errors.js';
export { KeptHistory } from './kit/sql/history/kept-history.js';
export { lossySettingsOf, showDurable, showLossy } from './kit/sql/history/lossy-settings.js';
export { askHistory } from './kit/sql/history/server-history.js';
export { OneServer } from './kit/sql/one-server.js';
export { OwnConnection } from './kit/sql/own-connection.js';
export { SqlSession } from './kit/sql/session.js';
export { type SqlRow, type SqlValue, type Statements, statementsOver } from './kit/sql/statements.js';
export { createMissingTables, hasTables } from './kit/sql/tables/create-tables.js';
export {
  createByMigration,
  dropByMigration,
  type MigrationRunner,
} from './kit/sql/tables/tables-migration.js';
export {
  NO_LOST_WRITES,
  placeOf,
  requireLastingTables,
  requireLockableTables,
} from './kit/sql/tables/tables-on-server.js';
export { defineTables, HISTORY_KEY, type SqlPlace, type TableSet } from './kit/sql/tables/tables.js';
