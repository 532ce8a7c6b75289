import type { QueryRunner } from 'typeorm';
import { type SqlRow, type Statements, statementsOver } from 'nestjs-snowflake/internal/kit/sql/statements';
import type { SeriesDatabase } from './series-database.js';

/**
 * Executes statements on a connection, in the transaction that is open there.
 *
 * @param requireOpen throws if that transaction has ended
 */
export function statementsOn(
  { dialect }: Pick<SeriesDatabase, 'dialect'>,
  runner: QueryRunner,
  requireOpen: () => void,
): Statements {
  return statementsOver(dialect, async (sql, parameters) => {
    requireOpen();
    const { records, affected } = await runner.query(sql, parameters, true);
    return { rows: records as SqlRow[], affected: Number(affected ?? 0) };
  });
}

/** Executes statements that only read, or of which nobody counts the rows, in or outside of a transaction. */
export function statementsOf(
  { dialect }: Pick<SeriesDatabase, 'dialect'>,
  owner: { query(sql: string, parameters?: unknown[]): Promise<unknown> },
): Statements {
  return statementsOver(dialect, async (sql, parameters) => {
    const rows = await owner.query(sql, parameters);
    return { rows: Array.isArray(rows) ? (rows as SqlRow[]) : [], affected: 0 };
  });
}
