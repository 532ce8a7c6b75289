import { StoreRejectedError } from '../../core/errors.js';
import { isUnsupported } from './sql-errors.js';
import type { RegistryPlace } from './sql-registry.js';
import type { SqlSession } from './sql-session.js';
import { readHistory } from './table-history.js';

/**
 * Refuses a database that does not tell its history: the loss of a grant would go unseen, and IDs repeat.
 *
 * @param store the store's description
 * @throws StoreRejectedError names the remedy
 */
export async function requireHistory(
  { history, dialect }: RegistryPlace,
  session: SqlSession,
  store: string,
): Promise<void> {
  if (!history) return;
  try {
    const [row] = await session.query(`SELECT ${history.identity} AS history`);
    readHistory(dialect, row?.['history']);
  } catch (error) {
    if (!isUnsupported(error)) throw error;
    throw new StoreRejectedError(
      `${store} cannot see whether this database has lost commits: ${error instanceof Error ? error.message : ''}. ` +
        'If it never loses one that it has acknowledged, set assumeNoLostCommits: true; else use another lease store.',
      error,
    );
  }
}
