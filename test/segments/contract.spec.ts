import { segmentStoreContract, type SegmentStoresUnderTest } from 'nestjs-snowflake/store-testing';
import { sqlSegmentStore } from '../../libs/snowflake/src/segments/sql/index.js';
import type { DataSourceOptions } from 'typeorm';
import { KINDS, makeDatabase, type TestDatabase } from '../integration/sql-store/support/databases.js';

const PLACES = [
  ...KINDS.map((kind) => ({ place: kind, kind, type: {} })),
  { place: 'MariaDB, with the type mysql', kind: 'MariaDB', type: { type: 'mysql' } },
] as const;

describe.each(PLACES)('the segment store contract on $place', ({ kind, type }) => {
  let database: TestDatabase;
  let tables = 0;

  beforeAll(async () => {
    database = await makeDatabase(kind, 'segment-contract');
  });
  afterAll(() => database?.remove());

  async function storesUnderTest(): Promise<SegmentStoresUnderTest> {
    tables += 1;
    const tableName = `contract_${tables}`;
    const stores = [1, 2].map(() =>
      sqlSegmentStore({
        dataSource: { ...database.options, ...type } as DataSourceOptions,
        tableName,
        createTable: true,
      }),
    );
    const [store, other] = stores;
    if (!store || !other) throw new Error('two stores');
    for (const each of stores) each.open?.({ callTimeoutMs: 20_000 });
    return {
      store,
      other,
      async dispose() {
        await Promise.all(stores.map((each) => each.close()));
      },
    };
  }

  segmentStoreContract(storesUnderTest, { describe, it });
});
