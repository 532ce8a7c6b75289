/** A value that drivers take as a parameter without a conversion. */
export type SqlValue = string | number;

/** A row of a result, by column. */
export type SqlRow = Readonly<Record<string, unknown>>;

/** Executes one statement. `?` is the placeholder of a parameter. */
export type Query = (sql: string, parameters?: readonly SqlValue[]) => Promise<readonly SqlRow[]>;

/** Executes the statements of a transaction. */
export interface Statements {
  /** Executes a statement that reads. */
  readonly query: Query;
  /** Executes a statement that writes. @returns how many rows it has written */
  readonly write: (sql: string, parameters: readonly SqlValue[]) => Promise<number>;
}
