import type { SqlDatabaseSource } from './database/database-choice.js';
import type { Statements } from './statements.js';
import type { SqlPlace, TableSet } from './tables/tables.js';

/** What a store keeps in a database: its tables, and what reads and writes them within a transaction. */
export interface SqlContent<Name extends string, Registry> {
  readonly dataSource: SqlDatabaseSource;
  /** The name of the store's connection. */
  readonly connectionName: string;
  readonly tables: TableSet<Name>;
  readonly tableName: string;
  readonly createTable: boolean;
  /**
   * Whether `createTable` creates tables again that were dropped while the store was connected. The store must notice the loss of
   * what they held.
   */
  readonly survivesDroppedTables?: boolean;
  readonly assumeNoLostWrites: boolean;
  /** Whether a kept history survives restarts of a server that has every commit on disk. */
  readonly trustsRestarts?: boolean;
  registry(statements: Statements, place: SqlPlace<Name>): Registry;
}
