import { setTimeout as delay } from 'node:timers/promises';
import { SqlLeaseStore } from '../../../libs/snowflake/src/stores/sql/sql-lease-store.js';
import type { SqlDialect } from '../../../libs/snowflake/src/stores/sql/sql-dialect.js';
import { WindowLedger } from '../../../libs/snowflake/src/store-testing/window-ledger.js';
import { firstRequest, granted } from '../redis-store/requests.js';
import { KINDS, makeDatabase, type TestDatabase } from './support/databases.js';

const CONNECTIONS = 8;
const WORKER_IDS = 128;
const TEST_WITHIN_MS = 180_000;

describe.each(KINDS)('leases on %s from eight connections at once', (kind) => {
  let database: TestDatabase;
  let stores: SqlLeaseStore[] = [];

  beforeAll(async () => {
    database = await makeDatabase(kind, 'sql-crowd');
  }, 120_000);
  afterEach(() => Promise.all(stores.map((store) => store.close())));
  afterAll(() => database?.remove());

  function open(namespace: string, alter?: (dialect: SqlDialect) => SqlDialect): void {
    stores = Array.from(
      { length: CONNECTIONS },
      () => new SqlLeaseStore({ dataSource: database.options, namespace, createTable: true }, alter),
    );
    for (const store of stores) store.open({ callTimeoutMs: 60_000 });
  }

  /** Every connection takes over one worker ID after the other, of far fewer than there are connections. */
  async function takeOver(namespace: string, rounds: number): Promise<string[]> {
    const ledger = new WindowLedger();
    const few = { workerCount: 3, windowMs: 20, maxSkewMs: 1 };
    const takeTurns = async (store: SqlLeaseStore, index: number): Promise<void> => {
      for (let round = 0; round < rounds; round += 1) {
        const reply = await store.lease(firstRequest(`${namespace}-${index}-${round}`, few));
        if (reply.outcome === 'new') ledger.grant(reply);
        else await delay(3);
      }
    };
    await Promise.all(stores.map(takeTurns));
    return ledger.overlaps();
  }

  it(
    'give each holder a worker ID of its own, and tell the next one when the first window ends',
    async () => {
      open('crowd');
      const grants = await Promise.all(
        stores.flatMap((store, connection) =>
          Array.from({ length: WORKER_IDS / CONNECTIONS }, (_, holder) =>
            granted(store.lease(firstRequest(`${connection}-${holder}`, { workerCount: WORKER_IDS }))),
          ),
        ),
      );
      expect(new Set(grants.map(({ workerId }) => workerId)).size).toBe(WORKER_IDS);
      const full = await stores[0]!.lease(firstRequest('one too many', { workerCount: WORKER_IDS }));
      const firstEnd = Math.min(...grants.map(({ untilMs }) => untilMs));
      expect(full).toMatchObject({ outcome: 'full' });
      expect(full.outcome === 'full' && full.nextFreeInMs + full.storeNowMs).toBe(firstEnd);
    },
    TEST_WITHIN_MS,
  );

  it(
    'never overlap where worker IDs are taken over again and again',
    async () => {
      open('turns');
      expect(await takeOver('turns', 60)).toEqual([]);
    },
    TEST_WITHIN_MS,
  );

  // SQLite runs each transaction of a process in one go; its control is that of several processes.
  if (kind !== 'SQLite') {
    it(
      'do not overlap where nothing is locked either',
      async () => {
        open('unlocked', (dialect) => ({ ...dialect, lockRow: '' }));
        expect(await takeOver('unlocked', 60)).toEqual([]);
      },
      TEST_WITHIN_MS,
    );
  }
});
