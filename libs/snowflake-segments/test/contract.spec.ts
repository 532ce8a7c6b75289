import { segmentStoreContract, type SegmentStoresUnderTest } from 'nestjs-snowflake-segments/store-testing';
import type { DataSourceOptions } from 'typeorm';
import { sqlSegmentStore } from '../src/sql/sql-segment-store.js';
import {
  KINDS,
  makeDatabase,
  type TestDatabase,
} from '../../../test/integration/sql-store/support/databases.js';
import { concurrentCases } from '../../../test/support/concurrent-cases.js';

const PLACES = [
  ...KINDS.map((kind) => ({ place: kind, kind, type: {} })),
  { place: 'MariaDB, with the type mysql', kind: 'MariaDB', type: { type: 'mysql' } },
] as const;

const cases = concurrentCases(8);
const databases = new Map<string, TestDatabase>();
let tables = 0;

beforeAll(async () => {
  for (const { place, kind } of PLACES) databases.set(place, await makeDatabase(kind, 'segment-contract'));
});
afterAll(() => Promise.all([...databases.values()].map((database) => database.remove())));

describe.each(PLACES)('the segment store contract on $place', ({ place, type }) => {
  async function storesUnderTest(): Promise<SegmentStoresUnderTest> {
    tables += 1;
    const tableName = `contract_${tables}`;
    const dataSource = { ...databases.get(place)?.options, ...type } as DataSourceOptions;
    const open = () => {
      const store = sqlSegmentStore({ dataSource, tableName, createTable: true });
      store.open?.({ callTimeoutMs: 20_000 });
      return store;
    };
    const [store, other] = [open(), open()];
    return {
      store,
      other,
      dispose: async () => void (await Promise.all([store.close(), other.close()])),
    };
  }

  segmentStoreContract(storesUnderTest, cases);
});
