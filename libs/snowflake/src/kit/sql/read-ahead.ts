import type { SqlResult, SqlRow, Statement, Statements } from './statements.js';

/**
 * Reads what a transaction will ask in the round trip of the statement before, so that its lock is held for as few of them as possible: in
 * a crowd, each process waits for those of all others. An answer holds until the transaction writes what it is about.
 */
export class ReadAhead implements Pick<Statements, 'query'> {
  private answers: ReadonlyMap<string, readonly SqlRow[]> = new Map();

  constructor(private readonly statements: Statements) {}

  /**
   * Executes the first statement of a transaction, which reads one row and may lock it, and after it what will be asked. Returns the row.
   * Without one, nothing is known.
   */
  async first(
    statement: Statement,
    expected: readonly Statement[],
    execute?: Statements['batch'],
  ): Promise<SqlRow | undefined> {
    const [result] = await this.send([statement], expected, execute);
    const row = result?.rows[0];
    if (!row) this.answers = new Map();
    return row;
  }

  /** Executes statements, and after them what will be asked. Forgets what is known so far. */
  async send(
    statements: readonly Statement[],
    expected: readonly Statement[],
    execute = this.statements.batch,
  ): Promise<readonly SqlResult[]> {
    const results = await execute([...statements, ...expected]);
    const answers = results.slice(statements.length);
    this.answers = new Map(
      expected.map((statement, index) => [keyOf(statement), answers[index]?.rows ?? []]),
    );
    return results.slice(0, statements.length);
  }

  /** Returns the answer that was read ahead; `undefined` if the statement was not expected. */
  known(statement: Statement): readonly SqlRow[] | undefined {
    return this.answers.get(keyOf(statement));
  }

  /** Asks, unless the answer was read ahead. */
  async read(statement: Statement): Promise<readonly SqlRow[]> {
    return this.known(statement) ?? this.statements.query(statement.sql, statement.parameters);
  }

  /** Does what {@link read} does. */
  readonly query: Statements['query'] = (sql, parameters) =>
    this.read({ sql, ...(parameters && { parameters }) });
}

function keyOf({ sql, parameters = [] }: Statement): string {
  return JSON.stringify([sql, parameters]);
}
