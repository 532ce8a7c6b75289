import type { DataSourceOptions } from 'typeorm';
import type { LeaseTables } from './lease-tables.js';
import type { OwnSockets } from './own-sockets.js';
import type { Query } from './sql-registry.js';

/** SQL expressions about the history of a server. */
export interface HistoryExpressions {
  /** Identifies the history: differs when committed writes may be gone. */
  readonly identity: string;
  /** Whether the server has never taken over from another one, which may have known more. */
  readonly isOriginal: string;
}

/** Where the supported databases differ. */
export interface SqlDialect {
  /** Expression: the database's clock in whole Unix milliseconds, read when the statement is executed. */
  readonly nowMs: string;
  /** Expression: names the connection. A proxy that spreads one transaction over several servers shows by it. */
  readonly connectionId: string;
  /** Finds out how this server tells its history. Executes nothing that fails where the tables are missing. */
  findHistory(query: Query, tables: LeaseTables): Promise<HistoryExpressions>;
  /** Reads the identity; `undefined` where it identifies nothing. */
  toHistory(value: string): string | undefined;
  /**
   * Where the database tells which transaction wrote a row: the expression of that, and that of the present one. A row
   * that another transaction than this library's has written was put back from a dump.
   */
  readonly writer?: { readonly ofRow: string; readonly current: string };
  /** The type that a number is cast to so that it is read digit by digit. */
  readonly textType: 'char' | 'text';
  /** Ends the SELECT that locks the row of a namespace. */
  readonly lockRow: string;
  /** Query for the `engine` of a table, by schema and name, where some engines lock no rows. */
  readonly engineOfTable?: string;
  /** Adds a row of which only the key is given, unless it is there. */
  insertKey(table: string, keyColumn: string): string;
  /** Ends a CREATE TABLE. */
  readonly tableOptions: string;
  /** Whether a statement that fails takes its whole transaction with it. */
  readonly failsWhole: boolean;
  /** Whether an index is declared within its table, for want of `CREATE INDEX IF NOT EXISTS`. */
  readonly hasIndexInTable: boolean;
  quote(identifier: string): string;
  /** The parameter at `position`, from 1. */
  parameter(position: number): string;
  /** Statements that prepare a new connection. */
  prepare(callTimeoutMs: number): readonly string[];
  /** Statements that begin a transaction, in which no wait lasts longer than the call. */
  begin(callTimeoutMs: number): readonly string[];
  /** Statements after a transaction. */
  readonly end: readonly string[];
  /** Options of a DataSource that TypeORM ignores under `replication`: the master has its own. */
  readonly masterOptions: readonly string[];
  /** What the store's own connection changes of the app's options. */
  ownOptions(
    options: DataSourceOptions,
    callTimeoutMs: number,
    connectionName: string,
    sockets: OwnSockets,
  ): object;
}
