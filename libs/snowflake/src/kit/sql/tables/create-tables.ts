import { isConflict, means } from '../errors.js';
import { KeptHistory } from '../history/kept-history.js';
import { askHistory, type ServerHistory } from '../history/server-history.js';
import type { Statements } from '../statements.js';
import type { SqlPlace, StoreTables } from './tables.js';

const CREATE_ATTEMPTS = 5;

/** Runs some statements, in a transaction if the connection is the store's own. */
type Transact = (work: (statements: Statements) => Promise<void>) => Promise<void>;

/** Returns whether all tables exist. Reads them, because CREATE needs a right even if they do. */
export async function hasTables(
  { probe }: Pick<StoreTables<string>, 'probe'>,
  transact: Transact,
): Promise<boolean> {
  try {
    await transact(async ({ batch }) => void (await batch(probe.map((sql) => ({ sql })))));
    return true;
  } catch (error) {
    if (means(error, 'missingTable')) return false;
    throw error;
  }
}

/**
 * Creates the tables unless they exist. Processes that start at the same time may all do so.
 *
 * @param transact on the store's own connection runs transactions, because only they bound the wait for a locked table
 */
export async function createMissingTables(
  place: SqlPlace,
  transact: Transact,
  trustsRestarts?: boolean,
): Promise<void> {
  for (let attempt = 1; !(await hasTables(place.tables, transact)); attempt += 1) {
    try {
      await transact((statements) => createTables(statements, place, trustsRestarts));
    } catch (error) {
      const isCreatedTwice = means(error, 'sameTable') || isConflict(error);
      if (!isCreatedTwice || attempt === CREATE_ATTEMPTS) throw error;
    }
  }
}

/**
 * Creates the tables, and keeps the present history before any table exists that can hold what it may lose. A server that took over
 * from another one may have missed earlier tables, so there an operator must act first.
 *
 * @param ask asks for the history
 */
export async function createTables(
  statements: Statements,
  place: SqlPlace,
  trustsRestarts = true,
  ask = (): Promise<ServerHistory | undefined> => askHistory(statements, place),
): Promise<void> {
  const { tables } = place;
  for (const name of tables.order) {
    await executeAll(statements.query, tables.createOne(name));
    if (tables.keptHistory?.table !== tables.quoted[name]) continue;
    const history = await ask();
    if (history?.sinceMs === 0) await new KeptHistory(statements, place, trustsRestarts).begin();
  }
}

async function executeAll(query: Statements['query'], statements: readonly string[]): Promise<void> {
  for (const statement of statements) await query(statement);
}
