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

/** One statement, with `?` as the placeholder of a parameter. */
export interface Statement {
  readonly sql: string;
  readonly parameters?: readonly SqlValue[];
}

/** Executes the statements of a transaction. */
export interface Statements {
  /** Executes a statement that returns rows. */
  readonly query: Query;
  /** Executes a statement that writes. @returns how many rows it has written */
  readonly write: (sql: string, parameters: readonly SqlValue[]) => Promise<number>;
  /**
   * Executes statements one after the other, until one fails. Takes one round trip if the database can: what holds a lock meanwhile
   * holds it for as long as the network takes.
   */
  readonly batch: (statements: readonly Statement[]) => Promise<readonly SqlResult[]>;
  /** Does the same with the last statements of a transaction, and commits it with them. Absent if the transaction is not the store's own. */
  readonly commit?: Statements['batch'];
}

/** Returns what executes the last statements of a transaction, and commits it in the same message if it can. */
export function lastBatch(statements: Pick<Statements, 'batch' | 'commit'>): Statements['batch'] {
  return (statements.commit ?? statements.batch).bind(statements);
}

/**
 * Returns statements for any connection.
 *
 * @param send sends one statement with the placeholders of its database
 * @param sendAll sends statements without parameters in one message; `undefined` if the connection can't
 */
export function statementsOver(
  { parameter, literal }: Pick<SqlDialect, 'parameter' | 'literal'>,
  send: (sql: string, parameters: SqlValue[]) => Promise<SqlResult>,
  sendAll: (sql: string) => Promise<readonly SqlResult[]> | undefined = () => undefined,
): Statements {
  const execute = (sql: string, parameters: readonly SqlValue[]): Promise<SqlResult> => {
    let position = 0;
    return send(
      sql.replaceAll('?', () => parameter(++position)),
      [...parameters],
    );
  };
  const inOneMessage = (statements: readonly Statement[]): Promise<readonly SqlResult[]> | undefined => {
    if (!literal || statements.length < 2) return undefined;
    const texts = statements.map(({ sql, parameters = [] }) => {
      let position = 0;
      return sql.replaceAll('?', () => literal(parameters[position++] ?? null));
    });
    return sendAll(texts.join(';\n'));
  };
  return {
    batch: async (statements) => {
      const together = inOneMessage(statements);
      if (together) return together;
      const results: SqlResult[] = [];
      for (const { sql, parameters = [] } of statements) results.push(await execute(sql, parameters));
      return results;
    },
    query: async (sql, parameters = []) => (await execute(sql, parameters)).rows,
    write: async (sql, parameters) => (await execute(sql, parameters)).affected,
  };
}
