import { setTimeout as delay } from 'node:timers/promises';
import { sqlLeaseStore } from 'nestjs-snowflake/sql';
import { leaseStoreContract, type StoreUnderTest } from 'nestjs-snowflake/store-testing';
import type { LeaseStore } from '../../../libs/snowflake/src/lease/lease-store.js';
import { requestOf } from '../../../libs/snowflake/src/store-testing/store-under-test.js';
import { playRandomHolders } from '../../../libs/snowflake/src/store-testing/random-holders.js';
import { KINDS, makeDatabase, type TestDatabase } from './support/databases.js';

const CONNECTIONS = 3;

/** Every call goes to the next of several stores, as if it came from another process. */
class ManyStores implements LeaseStore {
  readonly renewable = true;
  private calls = 0;

  constructor(private readonly stores: readonly LeaseStore[]) {}

  get description(): string {
    return this.next().description;
  }
  lease(request: Parameters<LeaseStore['lease']>[0]): ReturnType<LeaseStore['lease']> {
    return this.next().lease(request);
  }
  release(request: Parameters<LeaseStore['release']>[0]): ReturnType<LeaseStore['release']> {
    return this.next().release(request);
  }
  inspect(): ReturnType<LeaseStore['inspect']> {
    return this.next().inspect();
  }
  async close(): Promise<void> {
    await Promise.all(this.stores.map((store) => store.close()));
  }

  private next(): LeaseStore {
    this.calls += 1;
    return this.stores[this.calls % this.stores.length]!;
  }
}

describe.each(KINDS)('the lease store contract on %s, through several connections', (kind) => {
  let database: TestDatabase;
  let namespaces = 0;

  beforeAll(async () => {
    database = await makeDatabase(kind, 'sql-contract');
  }, 120_000);
  afterAll(() => database?.remove());

  /** Every namespace of the one table is a fresh registry. */
  async function storesUnderTest(): Promise<StoreUnderTest> {
    namespaces += 1;
    const namespace = `contract-${namespaces}`;
    const stores = Array.from({ length: CONNECTIONS }, () =>
      sqlLeaseStore({ dataSource: database.options, namespace, createTable: true }),
    );
    for (const store of stores) await store.open?.({ callTimeoutMs: 30_000 });
    const store = new ManyStores(stores);
    return { store, letPass: (ms) => delay(ms), dispose: () => store.close() };
  }

  leaseStoreContract(storesUnderTest, { describe, it });

  it('serves as many worker IDs as a layout can have', async () => {
    const { store, dispose } = await storesUnderTest();
    const all = { firstWorkerId: 0, workerCount: 2 ** 31 };
    await expect(store.lease(requestOf(1, all))).resolves.toMatchObject({ outcome: 'new', workerId: 0 });
    const offline = { ...all, preferOffline: true };
    await expect(store.lease(requestOf(2, offline))).resolves.toMatchObject({ outcome: 'new', workerId: 1 });
    await dispose();
  });

  it.each([1, 2, 3])('keeps the windows of random holders apart, seed %i', async (seed) => {
    const under = await storesUnderTest();
    try {
      expect(await playRandomHolders(under, seed, 150)).toEqual([]);
    } finally {
      await under.dispose();
    }
  });
});
