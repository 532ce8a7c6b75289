import type { QueryRunner } from 'typeorm';
import { askHistory } from './server-history.js';
import type { HistoryExpressions, HistoryTable, SqlDialect } from './dialect.js';
import { NoHistory } from './errors.js';
import type { SqlRow, Statements } from './statements.js';

/** Returns the statements of a migration, with the placeholder `?`. */
export function statementsOf(
  queryRunner: QueryRunner,
  { dialect }: { readonly dialect: SqlDialect },
): Pick<Statements, 'query'> {
  return {
    query: async (sql, parameters = []) => {
      let position = 0;
      const text = sql.replaceAll('?', () => dialect.parameter(++position));
      const rows: unknown = await queryRunner.query(text, [...parameters]);
      return Array.isArray(rows) ? (rows as SqlRow[]) : [];
    },
  };
}

/** The table whose recreation is part of the history, and the statement that creates it. */
export interface HistoryPlace {
  readonly dialect: SqlDialect;
  readonly table: HistoryTable;
  readonly create: string;
}

/**
 * Returns how the server shows its history; `undefined` if it does not, as with Aurora. There a segment store needs an operator,
 * unless it has `assumeNoLostWrites`.
 */
export async function readableHistory(
  queryRunner: QueryRunner,
  { query }: Pick<Statements, 'query'>,
  { dialect, table, create }: HistoryPlace,
): Promise<HistoryExpressions | undefined> {
  const history = await dialect.findHistory(query, table);
  await query(create);
  if (dialect.failsWhole) await queryRunner.startTransaction();
  try {
    await askHistory({ query }, { dialect, history });
    if (dialect.failsWhole) await queryRunner.commitTransaction();
    return history;
  } catch (error) {
    if (dialect.failsWhole) await queryRunner.rollbackTransaction();
    if (!(error instanceof NoHistory)) throw error;
    return undefined;
  }
}
