import { leaseStoreContract } from 'nestjs-snowflake/store';
import { requestOf } from '../../../libs/snowflake/src/stores/port/store-under-test.js';
import { concurrentCases } from '../../support/concurrent-cases.js';
import { type Kind, KINDS, makeDatabase, type TestDatabase } from './support/databases.js';
import { storesUnderTest } from './support/many-stores.js';

const cases = concurrentCases(8);
const databases = new Map<Kind, TestDatabase>();

beforeAll(async () => {
  for (const kind of KINDS) databases.set(kind, await makeDatabase(kind, 'sql-contract'));
});
afterAll(() => Promise.all([...databases.values()].map((database) => database.remove())));

describe.each(KINDS)('the lease store contract on %s, through several connections', (kind) => {
  const makeStore = () => storesUnderTest(databases.get(kind)!);

  leaseStoreContract(makeStore, cases);

  it('serves as many worker IDs as a layout can have', async () => {
    const { store, dispose } = await makeStore();
    const all = { firstWorkerId: 0, workerCount: 2 ** 31 };
    await expect(store.lease(requestOf(1, all))).resolves.toMatchObject({ outcome: 'new', workerId: 0 });
    const offline = { ...all, preferLongestOffline: true };
    await expect(store.lease(requestOf(2, offline))).resolves.toMatchObject({ outcome: 'new', workerId: 1 });
    await dispose();
  });
});
