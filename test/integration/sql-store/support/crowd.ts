import { setTimeout as delay } from 'node:timers/promises';
import type { SqlDialect } from '../../../../libs/snowflake/src/kit/sql/dialects/dialect.js';
import { SqlLeaseStore } from '../../../../libs/snowflake/src/stores/sql/sql-lease-store.js';
import { WindowLedger } from '../../../../libs/snowflake/src/stores/port/window-ledger.js';
import { firstRequest } from '../../redis-store/requests.js';
import type { TestDatabase } from './databases.js';
import { withDialect } from './stores.js';

const CONNECTIONS = 8;

/** Nothing is locked: only the comparison of versions keeps two transactions apart. */
export const withoutLock = (dialect: SqlDialect): SqlDialect => ({ ...dialect, lockRow: '' });

/** Eight stores of one namespace, each on a connection of its own. */
export function openCrowd(
  { options }: TestDatabase,
  namespace: string,
  alter?: (dialect: SqlDialect) => SqlDialect,
): SqlLeaseStore[] {
  const stores = Array.from(
    { length: CONNECTIONS },
    () =>
      new SqlLeaseStore({ dataSource: options, namespace, createTable: true }, alter && withDialect(alter)),
  );
  for (const store of stores) store.open({ callTimeoutMs: 30_000 });
  return stores;
}

/**
 * Every store takes over one worker ID after the other, of far fewer than there are stores.
 *
 * @returns a description of each overlap of two windows of one worker ID
 */
export async function overlapsOf(stores: readonly SqlLeaseStore[], rounds: number): Promise<string[]> {
  const ledger = new WindowLedger();
  const few = { workerCount: 3, windowMs: 20, maxSkewMs: 1 };
  const takeTurns = async (store: SqlLeaseStore, index: number): Promise<void> => {
    for (let round = 0; round < rounds; round += 1) {
      const reply = await store.lease(firstRequest(`${index}-${round}`, few));
      if (reply.outcome === 'new') ledger.grant(reply);
      else await delay(3);
    }
  };
  await Promise.all(stores.map(takeTurns));
  return ledger.overlaps();
}
