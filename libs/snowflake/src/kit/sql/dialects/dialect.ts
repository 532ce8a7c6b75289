import type { Query, SqlRow, SqlValue } from '../statements.js';

/** A table whose recreation is part of the history. */
export interface HistoryTable {
  /** Its quoted name, with its schema. */
  readonly quoted: string;
  readonly schema?: string;
  readonly name: string;
}

/** SQL expressions about the history of a server. */
export interface HistoryExpressions {
  /** Returns the history ID, which changes if committed writes may be lost. */
  readonly identity: string;
  /** Returns the part of the history ID that a restart of the server keeps. */
  readonly lasting: string;
  /** Whether a restart under the same `lasting` can have lost commits, unless {@link SqlDialect.lossySettings} finds none. */
  readonly needsDurableSettings: boolean;
  /** Whether the server has never taken over from another server, which may have had more data. */
  readonly isOriginal: string;
}

/** A setting with which a crash of the server can undo acknowledged commits. */
export interface LossySetting {
  readonly name: string;
  readonly value: string;
  /** The value with which it can't. */
  readonly durable: string;
  /** Whether the server says that it commits to a storage service, so that this setting of local files wouldn't matter. */
  readonly isReplaced?: boolean;
}

/** How a server shows its lossy settings. */
export interface LossySettings {
  readonly statement: string;
  read(rows: readonly SqlRow[]): readonly LossySetting[];
}

/** How a server shows how many of its connections are in use. */
export interface ConnectionUse {
  readonly statements: readonly string[];
  /** @param rows the first row of each statement */
  isHigh(rows: readonly (SqlRow | undefined)[]): boolean;
}

/** From this share of its connections on, a server counts as nearly full. */
export const HIGH_USE = 0.9;

/** A line of transactions. */
export interface Line {
  /** What the line is for: all that wait under one name wait for each other. */
  readonly name: string;
  /** Newcomers pass one after the other. The others pass by them. */
  readonly isNewcomer: boolean;
}

/** How a transaction waits in line. */
export interface LineWait extends Line {
  readonly waitMs: number;
}

/** The differences between the supported databases. */
export interface SqlDialect {
  /** Expression: the database's clock in whole Unix milliseconds, read when the statement is executed. */
  readonly nowMs: string;
  /** Expression: identifies the connection. Reveals a proxy that spreads one transaction over several servers. */
  readonly connectionId: string;
  /** Finds out how this server shows its history. Executes no statement that fails if the tables are missing. */
  findHistory(query: Query, table: HistoryTable): Promise<HistoryExpressions>;
  /** Where in its server a table is: the same name elsewhere is another table. */
  readonly place?: {
    readonly word: 'schema' | 'database';
    /** Expression: the name of that place; NULL if the table is missing. */
    expression(table: HistoryTable): string;
  };
  /** Finds the settings of this server with which a crash can undo commits of a {@link begin} transaction. Absent if it has none. */
  readonly lossySettings?: LossySettings;
  /** Reads the history ID; `undefined` if it identifies nothing. */
  toHistory(value: string): string | undefined;
  /**
   * The expressions for the transaction that wrote a row and for the present one, if the database has them. A row that a
   * transaction outside of this library has written comes from a dump.
   */
  readonly writer?: { readonly ofRow: string; readonly current: string };
  /**
   * Returns a statement that fails unless the one before it has written a row of the table that meets the condition. A message with it can
   * commit without waiting for the caller to check. It may ignore the condition if it sees what the statement before it has written.
   * Absent if the database has no such statement.
   */
  requireWritten?(table: string, condition: string): string;
  /** Whether a part of a statement can write, and return what it has written to the rest. */
  readonly returnsFromWrites?: boolean;
  /** The type to cast a number to, so that no driver rounds it. */
  readonly textType: 'char' | 'text';
  /** Ends the SELECT that locks its rows until the transaction ends. */
  readonly lockRow: string;
  /** Query for the `engine` of a table, by schema and name, if some engines do not lock rows. */
  readonly engineOfTable?: string;
  /** Query for the `persistence` of a table, by its quoted name: `u` if a crash empties it, `t` if only its session sees it. */
  readonly persistenceOfTable?: string;
  /**
   * Query for the `collation` of a column, by database (`null` for the present one), table and column, if the default collation
   * takes different texts for equal.
   */
  readonly collationOfColumn?: string;
  /** Whether all transactions of an ORM meet on one connection. */
  readonly hasOneConnection: boolean;
  /** Returns the statement that inserts a row with these columns unless its key exists. */
  insertUnlessExists(table: string, columns: readonly string[]): string;
  /**
   * Returns the statement that inserts a row, or adds to `column` of the row that has its key. Either way it locks the row until the
   * transaction ends. Its parameters are the key, the number, and the number again.
   */
  insertOrAdd(table: string, key: readonly string[], column: string): string;
  /** Whether that statement returns the sum, as `column`. */
  readonly returnsSum: boolean;
  /** Ends a CREATE TABLE. */
  readonly tableOptions: string;
  /**
   * Returns the expression: how many tables there are with this name in this schema into which the user may write. Doesn't fail if schema or
   * table is missing. Absent if the database has no schemas.
   */
  writableTables?(schema: string, table: string): string;
  /** Whether a statement that fails aborts its whole transaction. */
  readonly failsWhole: boolean;
  /** Whether an index is declared within its table, because `CREATE INDEX IF NOT EXISTS` is missing. */
  readonly hasIndexInTable: boolean;
  /** Whether a column can be declared `ON UPDATE CURRENT_TIMESTAMP`. */
  readonly hasOnUpdate: boolean;
  quote(identifier: string): string;
  /** Returns the parameter at `position`, from 1. */
  parameter(position: number): string;
  /** Returns a value as a literal, whatever the settings of the connection. Absent if the driver sends one statement a message. */
  literal?(value: SqlValue): string;
  /** Shows whether nearly all connections that the server allows are in use. Absent if there is no limit. */
  readonly connections?: ConnectionUse;
  /** Statements that prepare a new connection. */
  prepare(callTimeoutMs: number): readonly string[];
  /** Statements that begin a transaction, in which no wait lasts longer than the call. */
  begin(callTimeoutMs: number): readonly string[];
  /**
   * Statements that wait in line, right after the transaction has begun. The place in line ends with the transaction. Only those that
   * wait need it: nothing depends on it. The last one returns how long the wait took as `waited_ms`. Absent if the database has no such
   * line.
   */
  line?(wait: LineWait): readonly string[];
  /** Statements that leave the line after the end of the transaction. Absent if the end itself does that. */
  leaveLine?(line: Line): readonly string[];
  /** Shows whether this server has no line, although the database has. */
  readonly lacksLine?: { readonly statement: string; isShown(rows: readonly SqlRow[]): boolean };
  /**
   * Returns a query for the newcomers in the line of that name: how many there are as `waiting`, and how long the first one has been there
   * as `longest_ms`, or NULL if this user may not see it. Counts only sessions that this user may see. Absent if the database has no such
   * line.
   */
  newcomersIn?(name: string): string;
  /** Statements that begin a transaction that only reads, from one snapshot. */
  beginReading(callTimeoutMs: number): readonly string[];
  /** Statements after a transaction. */
  readonly end: readonly string[];
}
