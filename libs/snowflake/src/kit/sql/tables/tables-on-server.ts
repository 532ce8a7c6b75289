import { StoreRejectedError } from '../../../core/errors/lease-errors.js';
import { isUnsupported } from '../errors.js';
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
  { query }: Pick<Statements, 'query'>,
  store: string,
): Promise<void> {
  if (!dialect.engineOfTable) return;
  for (const name of tables.names) {
    const [table] = await query(dialect.engineOfTable, [tables.schema ?? '', name]);
    // The table is missing. Fail here, because the session checks the engine only once.
    if (!table) for (const probe of tables.probe) await query(probe);
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

/** What a store must not lose, and what to do instead of making the tables durable, as ends of sentences. */
export interface LastingPromise {
  readonly promise: string;
  readonly alternative?: string;
}

/** The promise of an operator. */
export const NO_LOST_WRITES: LastingPromise = {
  promise: 'but assumeNoLostWrites: true asserts that no write is lost',
  alternative: ', or remove assumeNoLostWrites',
};

/**
 * Refuses temporary tables, in which no other process sees a grant, and tables that a crash of the server empties.
 *
 * @param store the store's description
 * @param lasting why the tables must survive a crash; `undefined` if the store notices it
 * @throws StoreRejectedError that names the table and the remedy
 */
export async function requireLastingTables(
  { tables, dialect }: SqlPlace,
  { batch }: Pick<Statements, 'batch'>,
  store: string,
  lasting: LastingPromise | undefined,
): Promise<void> {
  const sql = dialect.persistenceOfTable;
  if (!sql) return;
  const paths = tables.order.map((name) => tables.quoted[name] ?? '');
  const results = await batch(paths.map((table) => ({ sql, parameters: [table] })));
  for (const [index, table] of paths.entries()) {
    const found = results[index]?.rows[0];
    if (found?.['persistence'] === 't') {
      throw new StoreRejectedError(
        `${store} cannot use the table ${table}: it is temporary, so each process has its own. Create it in a schema that is not ` +
          'pg_temp, or correct the search_path.',
      );
    }
    if (lasting && found?.['persistence'] === 'u') {
      throw new StoreRejectedError(
        `${store} cannot use the table ${table}: it is UNLOGGED, so a crash of the server empties it, ${lasting.promise}. ` +
          `Run ALTER TABLE ${table} SET LOGGED${lasting.alternative ?? ''}.`,
      );
    }
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
