import { openCrowd, overlapsOf, withoutLock } from '../../../integration/sql-store/support/crowd.js';
import { makeDatabase, type TestDatabase } from '../../../integration/sql-store/support/databases.js';

const ROUNDS = 150;

describe.each(['PostgreSQL', 'MariaDB'] as const)('leases on %s from eight connections at once', (kind) => {
  let database: TestDatabase;
  let stores: ReturnType<typeof openCrowd> = [];

  beforeAll(async () => {
    database = await makeDatabase(kind, 'sql-long-crowd');
  });
  afterEach(() => Promise.all(stores.map((store) => store.close())));
  afterAll(() => database?.remove());

  it.each([
    ['as in production', undefined],
    ['where nothing is locked', withoutLock],
  ])('grants no two windows that overlap, however often worker IDs are taken over: %s', async (_, alter) => {
    stores = openCrowd(database, alter ? 'unlocked' : 'turns', alter);
    expect(await overlapsOf(stores, ROUNDS)).toEqual([]);
  });
});
