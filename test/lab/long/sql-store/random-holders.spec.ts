import { KINDS, makeDatabase, type TestDatabase } from '../../../integration/sql-store/support/databases.js';
import { storesUnderTest } from '../../../integration/sql-store/support/many-stores.js';
import { playRandomHolders } from '../../../../libs/snowflake/src/stores/port/random-holders.js';

const STEPS = 300;

describe.each(KINDS)('holders that call at random on %s, through several connections', (kind) => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await makeDatabase(kind, 'sql-random-holders');
  });
  afterAll(() => database?.remove());

  it.each([1, 2, 3, 4, 5])('keeps the windows of random holders apart, seed %i', async (seed) => {
    const under = await storesUnderTest(database);
    try {
      expect(await playRandomHolders(under, seed, STEPS)).toEqual([]);
    } finally {
      await under.dispose();
    }
  });
});
