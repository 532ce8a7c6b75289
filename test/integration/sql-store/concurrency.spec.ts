import { firstRequest, granted } from '../redis-store/requests.js';
import { openCrowd, overlapsOf, withoutLock } from './support/crowd.js';
import { KINDS, makeDatabase, type TestDatabase } from './support/databases.js';

const WORKER_IDS = 32;
/** Takeovers of each connection. test/lab/long/sql-store plays more. */
const ROUNDS = 12;

describe.each(KINDS)('leases on %s from eight connections at once', (kind) => {
  let database: TestDatabase;
  let stores: ReturnType<typeof openCrowd> = [];

  beforeAll(async () => {
    database = await makeDatabase(kind, 'sql-crowd');
  });
  afterEach(() => Promise.all(stores.map((store) => store.close())));
  afterAll(() => database?.remove());

  it('gives each holder a worker ID of its own, and answers the next one when the first window ends', async () => {
    stores = openCrowd(database, 'crowd');
    const grants = await Promise.all(
      stores.flatMap((store, connection) =>
        Array.from({ length: WORKER_IDS / stores.length }, (_, holder) =>
          granted(store.lease(firstRequest(`${connection}-${holder}`, { workerCount: WORKER_IDS }))),
        ),
      ),
    );
    expect(new Set(grants.map(({ workerId }) => workerId)).size).toBe(WORKER_IDS);
    const full = await stores[0]!.lease(firstRequest('one too many', { workerCount: WORKER_IDS }));
    const firstEnd = Math.min(...grants.map(({ untilMs }) => untilMs));
    expect(full).toMatchObject({ outcome: 'full' });
    expect(full.outcome === 'full' && full.nextFreeInMs + full.storeNowMs).toBe(firstEnd);
  });

  it('grants no two windows that overlap where worker IDs are taken over again and again', async () => {
    stores = openCrowd(database, 'turns');
    expect(await overlapsOf(stores, ROUNDS)).toEqual([]);
  });

  // SQLite runs each transaction of a process in one go; its control is that of several processes.
  if (kind !== 'SQLite') {
    it('grants no two windows that overlap where nothing is locked either', async () => {
      stores = openCrowd(database, 'unlocked', withoutLock);
      expect(await overlapsOf(stores, ROUNDS)).toEqual([]);
    });
  }
});
