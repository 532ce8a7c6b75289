import type { SqlDialect } from './dialects/dialect.js';

/** A value that drivers take as a parameter without a conversion. */
export type SqlValue = string | number | null;

/** A row of a result, by column. */
export type SqlRow = Readonly<Record<string, unknown>>;

/** What a statement returned. */
export interface SqlResult {
  readonly rows: readonly SqlRow[];
  /** How many rows it has written. */
  readonly affected: number;
}

/** Executes one statement. `?` is the placeholder of a parameter. */
export type Query = (sql: string, parameters?: readonly SqlValue[]) => Promise<readonly SqlRow[]>;

/** Executes the statements of a transaction. */
export interface Statements {
  /** Executes a statement that returns rows. */
  readonly query: Query;
  /** Executes a statement that writes. @returns how many rows it has written */
  readonly write: (sql: string, parameters: readonly SqlValue[]) => Promise<number>;
}

/**
 * Returns statements for any connection.
 *
 * @param send sends one statement with the placeholders of its database
 */
export function statementsOver(
  { parameter }: Pick<SqlDialect, 'parameter'>,
  send: (sql: string, parameters: SqlValue[]) => Promise<SqlResult>,
): Statements {
  const execute = (sql: string, parameters: readonly SqlValue[]): Promise<SqlResult> => {
    let position = 0;
    return send(
      sql.replaceAll('?', () => parameter(++position)),
      [...parameters],
    );
  };
  return {
    query: async (sql, parameters = []) => (await execute(sql, parameters)).rows,
    write: async (sql, parameters) => (await execute(sql, parameters)).affected,
  };
}
