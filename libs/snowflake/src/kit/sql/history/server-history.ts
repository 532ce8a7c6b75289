import type { SqlDialect } from '../dialects/dialect.js';
import { isUnsupported, NoHistory } from '../errors.js';
import type { Statements } from '../statements.js';
import type { SqlPlace } from '../tables/tables.js';

/** Reads the identity of the server's history from a result. @throws NoHistory */
export function readHistory(dialect: SqlDialect, value: unknown): string {
  const history = dialect.toHistory(value === null || value === undefined ? '' : String(value));
  if (history === undefined || history === '') throw new NoHistory('it returns no history ID');
  return history;
}

/** The server's history ID, and the time since which its tables are complete. */
export interface ServerHistory {
  readonly identity: string;
  /** 0 on a server that never took over from another server; otherwise its present time. */
  readonly sinceMs: number;
}

/**
 * Asks the server for its history; `undefined` if the operator asserts that it loses nothing.
 *
 * @throws NoHistory if the server does not show it
 */
export async function askHistory(
  { query }: Pick<Statements, 'query'>,
  { dialect, history }: Pick<SqlPlace, 'dialect' | 'history'>,
): Promise<ServerHistory | undefined> {
  if (!history) return undefined;
  try {
    const [row] = await query(
      `SELECT ${history.identity} AS history, ${dialect.nowMs} AS now_ms,` +
        ` CASE WHEN ${history.isOriginal} THEN 1 ELSE 0 END AS is_original`,
    );
    const sinceMs = Number(row?.['is_original']) === 1 ? 0 : Number(row?.['now_ms']);
    return { identity: readHistory(dialect, row?.['history']), sinceMs };
  } catch (error) {
    if (!isUnsupported(error)) throw error;
    throw new NoHistory(error instanceof Error ? error.message : String(error));
  }
}

/**
 * Expression: whether the transaction in the column `written_by` has written the row, as far as the database can tell. In a row
 * that comes from a dump, another one has.
 */
export function isAsWritten({ writer }: Pick<SqlDialect, 'writer'>): string {
  return writer ? `written_by = ${writer.ofRow}` : '1 = 1';
}
