import { StoreRejectedError } from '../../../core/errors/lease-errors.js';
import { isUnsupported } from '../errors.js';
import type { SqlSession } from '../session.js';
import type { Statements } from '../statements.js';
import type { SqlPlace } from './tables.js';

const LOCKS_ROWS = 'INNODB';

/**
 * Refuses tables whose engine accepts `FOR UPDATE` and locks nothing: two calls would silently grant the same.
 *
 * @param store the store's description
 * @throws StoreRejectedError that names the table, its engine and the remedy
 */
export async function requireLockableTables(
  { tables, dialect }: SqlPlace,
  session: SqlSession,
  store: string,
): Promise<void> {
  if (!dialect.engineOfTable) return;
  for (const name of tables.names) {
    const [table] = await session.query(dialect.engineOfTable, [tables.schema ?? '', name]);
    // The table is missing. Fail here, because the session checks the engine only once.
    if (!table) await session.transact(() => session.execute(tables.probe));
    const engine = table?.['engine'];
    // A view has no engine.
    if (typeof engine !== 'string' || engine.toUpperCase() === LOCKS_ROWS) continue;
    const { unsafeWithoutLocks } = tables.declaration;
    throw new StoreRejectedError(
      `${store} cannot use the table ${name}: its engine ${engine} locks no rows, so ${unsafeWithoutLocks} twice. ` +
        `Stop all processes that use it, and run ALTER TABLE ${name} ENGINE=InnoDB.`,
    );
  }
}

/**
 * Returns where the tables of a store are, such as `schema "public"`, as the server finds them by its search path; `undefined`
 * if they are missing, or in a file.
 */
export async function placeOf(
  { tables: { history: table }, dialect: { place } }: SqlPlace,
  { query }: Pick<Statements, 'query'>,
): Promise<string | undefined> {
  if (!place || !table) return undefined;
  try {
    const [row] = await query(`SELECT ${place.expression(table)} AS place`);
    const name = row?.['place'];
    return typeof name === 'string' ? `${place.word} "${name}"` : undefined;
  } catch (error) {
    if (isUnsupported(error)) return undefined;
    throw error;
  }
}
