import { StoreRejectedError } from 'nestjs-snowflake/core';
import { CreateSnowflakeLeaseTables1767225600000 } from 'nestjs-snowflake/sql';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { firstRequest, granted } from '../redis-store/requests.js';
import { KINDS, makeDatabase, type TestDatabase } from './support/databases.js';
import { Stores } from './support/stores.js';

class CreateShopLeaseTables1767225600001 extends CreateSnowflakeLeaseTables1767225600000 {
  override readonly name = 'CreateShopLeaseTables1767225600001';
  protected override readonly tableName = 'shop_lease';
}

describe.each(KINDS)('the tables on %s', (kind) => {
  const stores = new Stores();
  let database: TestDatabase;

  beforeEach(async () => {
    database = await makeDatabase(kind, 'sql-tables');
  }, 120_000);
  afterEach(async () => {
    await stores.close();
    await database?.remove();
  });

  async function withMigrations(work: (dataSource: DataSource) => Promise<void>): Promise<void> {
    const migrations = [CreateSnowflakeLeaseTables1767225600000, CreateShopLeaseTables1767225600001];
    const dataSource = new DataSource({ ...database.options, migrations } as DataSourceOptions);
    await dataSource.initialize();
    try {
      await work(dataSource);
    } finally {
      await dataSource.destroy();
    }
  }

  it('are asked for when they are missing, with both remedies', async () => {
    const store = stores.open({ dataSource: database.options, namespace: 'shop' });
    const refusal = store.lease(firstRequest('holder'));
    await expect(refusal).rejects.toThrow(StoreRejectedError);
    await expect(refusal).rejects.toMatchObject({
      code: 'SNOWFLAKE_STORE_REJECTED',
      message: expect.stringMatching(
        /namespace "shop" refuses.*Run the migration CreateSnowflakeLeaseTables.*createTable: true/,
      ),
    });
    await expect(store.inspect()).rejects.toThrow(StoreRejectedError);
  });

  it('are created by whichever of eight stores comes first, and all eight succeed', async () => {
    const crowd = Array.from({ length: 8 }, () =>
      stores.open({ dataSource: database.options, namespace: 'shop', createTable: true }),
    );
    const grants = await Promise.all(
      crowd.map((store, index) => granted(store.lease(firstRequest(`holder ${index}`)))),
    );
    expect(grants.map(({ workerId }) => workerId).sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  it('come and go with the migration, which does no harm where they exist', async () => {
    const store = stores.open({ dataSource: database.options, namespace: 'shop', createTable: true });
    const first = await granted(store.lease(firstRequest('before')));
    const other = stores.open({ dataSource: database.options, namespace: 'shop', tableName: 'shop_lease' });
    await withMigrations(async (dataSource) => {
      await dataSource.runMigrations();
      expect((await store.inspect()).rows).toMatchObject([{ workerId: first.workerId, deed: first.deed }]);
      expect((await granted(other.lease(firstRequest('elsewhere')))).workerId).toBe(0);

      await dataSource.undoLastMigration();
      await expect(other.lease(firstRequest('elsewhere'))).rejects.toThrow(StoreRejectedError);
      expect((await granted(store.lease(firstRequest('after')))).workerId).toBe(1);
      await dataSource.undoLastMigration();
      await expect(store.lease(firstRequest('nowhere'))).rejects.toThrow(StoreRejectedError);
    });
  });

  it('keep namespaces apart that differ in a capital letter alone', async () => {
    for (const namespace of ['shop', 'Shop']) {
      const store = stores.open({ dataSource: database.options, namespace, createTable: true });
      expect((await granted(store.lease(firstRequest('holder')))).workerId).toBe(0);
      expect((await store.inspect()).rows).toHaveLength(1);
    }
  });

  it('show nothing, and get no row, when an unknown namespace is looked at', async () => {
    const store = stores.open({ dataSource: database.options, namespace: 'unknown', createTable: true });
    expect(await store.inspect()).toEqual({ storeNowMs: expect.any(Number), rows: [] });
    expect(await store.release({ workerId: 0, deed: 'x@1', lastUsedMs: 1 })).toEqual({ outcome: 'gone' });
    expect(await database.desk.query('SELECT * FROM snowflake_lease_namespace')).toEqual([]);
  });
});
