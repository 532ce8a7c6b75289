import type { DatabaseOptions, SqlDataSource } from './database-options.js';
import type { HistoryExpressions, HistoryTable, SqlDialect } from './dialect.js';
import type { StoreRemedies } from './errors.js';
import type { Statements } from './statements.js';

/** The tables of a store, and the dialect of their database. */
export interface SqlPlace<Tables> {
  readonly tables: Tables;
  readonly dialect: SqlDialect;
  /** How the server shows its history; `undefined` if the operator vouches for it. */
  readonly history?: HistoryExpressions;
}

/** What a store keeps in a database: its tables, and what reads and writes them within a transaction. */
export interface SqlContent<Tables, Registry> {
  readonly dataSource: SqlDataSource | (() => SqlDataSource | Promise<SqlDataSource>);
  /** The name of the store's connection. */
  readonly connectionName: string;
  readonly createTable: boolean;
  readonly assumeNoLostWrites: boolean;
  readonly remedies: StoreRemedies;
  /** What could happen twice in a table that locks no rows, as the beginning of a clause. */
  readonly sharedUnlocked: string;
  tables(options: DatabaseOptions, dialect: SqlDialect): Tables;
  historyTable(tables: Tables): HistoryTable;
  /** Returns the names of all tables as a catalogue lists them. */
  names(tables: Tables): { readonly schema?: string; readonly tables: readonly string[] };
  /** Returns statements that fail if a table is missing. */
  probe(tables: Tables): readonly string[];
  /** Creates the missing tables. */
  create(statements: Pick<Statements, 'query'>, place: SqlPlace<Tables>): Promise<void>;
  registry(statements: Statements, place: SqlPlace<Tables>): Registry;
}
