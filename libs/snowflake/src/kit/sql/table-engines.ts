import { StoreRejectedError } from '../../core/errors/index.js';
import type { SqlContent } from './content.js';
import type { SqlDatabase } from './database-finder.js';
import type { SqlSession } from './session.js';

const LOCKS_ROWS = 'INNODB';

/**
 * Refuses tables whose engine accepts `FOR UPDATE` and locks nothing: two calls would silently grant the same.
 *
 * @param store the store's description
 * @throws StoreRejectedError that names the table, its engine and the remedy
 */
export async function requireLockableTables<Tables>(
  content: Pick<SqlContent<Tables, unknown>, 'probe' | 'names' | 'sharedUnlocked'>,
  { tables, session: { dialect } }: SqlDatabase<Tables>,
  session: SqlSession,
  store: string,
): Promise<void> {
  if (!dialect.engineOfTable) return;
  const { schema = '', tables: names } = content.names(tables);
  for (const name of names) {
    const [table] = await session.query(dialect.engineOfTable, [schema, name]);
    // The table is missing. Fail here, because the session checks the engine only once.
    if (!table) await session.transact(() => session.execute(content.probe(tables)));
    const engine = table?.['engine'];
    // A view has no engine.
    if (typeof engine !== 'string' || engine.toUpperCase() === LOCKS_ROWS) continue;
    throw new StoreRejectedError(
      `${store} cannot use the table ${name}: its engine ${engine} locks no rows, so ${content.sharedUnlocked} twice. ` +
        `Stop all processes that use it, and run ALTER TABLE ${name} ENGINE=InnoDB.`,
    );
  }
}
