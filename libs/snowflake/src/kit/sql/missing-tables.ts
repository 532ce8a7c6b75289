import type { SqlContent, SqlPlace } from './content.js';
import { isCreatedTwice, isMissingTable } from './errors.js';
import type { SqlSession } from './session.js';

const CREATE_ATTEMPTS = 5;

/**
 * Creates the tables unless they exist. Checks first, because CREATE needs a right even if the table exists. Uses
 * transactions, because only they bound the wait for a locked table.
 */
export async function createMissingTables<Tables>(
  content: Pick<SqlContent<Tables, unknown>, 'probe' | 'create'>,
  place: SqlPlace<Tables>,
  session: SqlSession,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await session.transact(() => session.execute(content.probe(place.tables)));
      return;
    } catch (error) {
      if (!isMissingTable(error)) throw error;
    }
    try {
      await session.transact(() => content.create(session, place));
    } catch (error) {
      if (!isCreatedTwice(error) || attempt === CREATE_ATTEMPTS) throw error;
    }
  }
}
