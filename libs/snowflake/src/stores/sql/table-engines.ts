import { StoreRejectedError } from '../../core/errors/index.js';
import { probeStatements } from './lease-tables.js';
import type { SqlDatabase } from './sql-database.js';
import type { SqlSession } from './sql-session.js';

const LOCKS_ROWS = 'INNODB';

/**
 * Refuses tables whose engine accepts `FOR UPDATE` and locks nothing: two calls would silently grant the same worker ID.
 *
 * @param store the store's description
 * @throws StoreRejectedError that names the table, its engine and the remedy
 */
export async function requireLockableTables(
  { tables, session: { dialect } }: SqlDatabase,
  session: SqlSession,
  store: string,
): Promise<void> {
  if (!dialect.engineOfTable) return;
  const { schema = '', leases, namespaces } = tables.names;
  for (const name of [namespaces, leases]) {
    const [table] = await session.query(dialect.engineOfTable, [schema, name]);
    // The table is missing. Fail here, because the session checks the engine only once.
    if (!table) await session.transact(() => session.execute(probeStatements(tables)));
    const engine = table?.['engine'];
    // A view has no engine.
    if (typeof engine !== 'string' || engine.toUpperCase() === LOCKS_ROWS) continue;
    throw new StoreRejectedError(
      `${store} cannot use the table ${name}: its engine ${engine} locks no rows, so a worker ID could be leased twice. ` +
        `Stop all processes that use it, and run ALTER TABLE ${name} ENGINE=InnoDB.`,
    );
  }
}
