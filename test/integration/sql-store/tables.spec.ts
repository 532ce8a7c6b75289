import { CreateSnowflakeLeaseTables1767225600000 } from 'nestjs-snowflake/typeorm';
import { StoreRejectedError } from 'nestjs-snowflake/standalone';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { firstRequest, granted } from '../redis-store/requests.js';
import { SqlLeaseStore } from '../../../libs/snowflake/src/stores/sql/sql-lease-store.js';
import { KINDS, makeDatabase, type TestDatabase } from './support/databases.js';
import { asUserWith } from './support/limited-user.js';
import { Stores, withoutAskingForSettings } from './support/stores.js';
import { VirtualDatabase } from './support/virtual-database.js';

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
      expect((await store.inspect()).rows).toMatchObject([
        { workerId: first.workerId, fencingToken: first.fencingToken },
      ]);
      expect((await granted(other.lease(firstRequest('elsewhere')))).workerId).toBe(0);

      await dataSource.undoLastMigration();
      await expect(other.lease(firstRequest('elsewhere'))).rejects.toThrow(StoreRejectedError);
      expect((await granted(store.lease(firstRequest('after')))).workerId).toBe(1);
      await dataSource.undoLastMigration();
      await expect(store.lease(firstRequest('nowhere'))).rejects.toThrow(StoreRejectedError);
    });
  });

  it('take an async function that gives the database, and a DataSource that is not initialized', async () => {
    const later = async (): Promise<DataSource> => new DataSource(database.options);
    const store = stores.open({ dataSource: later, namespace: 'shop', createTable: true });
    expect((await granted(store.lease(firstRequest('holder')))).workerId).toBe(0);
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
    expect(await store.release({ workerId: 0, fencingToken: 'x@1', lastUsedMs: 1 })).toEqual({
      outcome: 'gone',
    });
    expect(
      await database.desk.query("SELECT * FROM snowflake_lease_namespace WHERE namespace <> ''"),
    ).toEqual([]);
  });
});

describe.each(['PostgreSQL', 'MariaDB'] as const)('a user of %s', (kind) => {
  const stores = new Stores();
  let database: TestDatabase;

  beforeEach(async () => {
    database = await makeDatabase(kind, 'sql-rights');
    const owner = stores.open({ dataSource: database.options, namespace: 'shop', createTable: true });
    await granted(owner.lease(firstRequest('owner')));
  }, 120_000);
  afterEach(async () => {
    await stores.close();
    await database?.remove();
  });

  const asUser = (rights: string): Promise<DataSourceOptions> =>
    asUserWith(kind, database, rights, ['snowflake_lease', 'snowflake_lease_namespace']);

  it('needs SELECT, INSERT and UPDATE on the tables alone', async () => {
    const dataSource = await asUser('SELECT, INSERT, UPDATE');
    const store = stores.open({ dataSource, namespace: 'shop', createTable: true });
    const grant = await granted(store.lease(firstRequest('holder')));
    expect(grant.workerId).toBe(1);
    const { workerId, fencingToken, untilMs } = grant;
    const renewal = firstRequest('later', { claim: { workerId, fencingToken, untilMs } });
    expect(await store.lease(renewal)).toMatchObject({ outcome: 'kept' });
    expect(await store.release({ workerId, fencingToken, lastUsedMs: untilMs })).toEqual({
      outcome: 'released',
    });
  });

  it('is refused without one of them, with the remedy', async () => {
    const store = stores.open({ dataSource: await asUser('SELECT, UPDATE'), namespace: 'shop' });
    const refusal = store.lease(firstRequest('holder'));
    await expect(refusal).rejects.toThrow(StoreRejectedError);
    await expect(refusal).rejects.toThrow('Give its user SELECT, INSERT and UPDATE on both tables');
  });
});

describe('a schema of PostgreSQL', () => {
  it('has the tables, if the DataSource names it', async () => {
    const database = await makeDatabase('PostgreSQL', 'sql-schema');
    const stores = new Stores();
    try {
      await database.desk.query('CREATE SCHEMA ids');
      const dataSource = { ...database.options, schema: 'ids' } as DataSourceOptions;
      const store = stores.open({ dataSource, namespace: 'shop', createTable: true });
      await granted(store.lease(firstRequest('holder')));
      expect(await database.desk.query('SELECT worker_id FROM ids.snowflake_lease')).toEqual([
        { worker_id: 0 },
      ]);
    } finally {
      await stores.close();
      await database.remove();
    }
  });
});

describe('a MariaDB server that takes an empty string for NULL', () => {
  it('releases as well', async () => {
    const database = await makeDatabase('MariaDB', 'sql-mode');
    const options = { dataSource: database.options, namespace: 'shop', createTable: true };
    const store = new SqlLeaseStore(options, (dialect) => ({
      ...dialect,
      prepare: (callTimeoutMs) => [
        "SET SESSION sql_mode = 'STRICT_TRANS_TABLES,EMPTY_STRING_IS_NULL'",
        ...dialect.prepare(callTimeoutMs),
      ],
    }));
    try {
      store.open({ callTimeoutMs: 10_000 });
      const { workerId, fencingToken, untilMs } = await granted(store.lease(firstRequest('holder')));
      expect(await store.release({ workerId, fencingToken, lastUsedMs: untilMs })).toEqual({
        outcome: 'released',
      });
    } finally {
      await store.close();
      await database.remove();
    }
  });
});

describe('tables of MariaDB whose engine locks no rows', () => {
  const stores = new Stores();
  let database: TestDatabase;

  beforeEach(async () => {
    database = await makeDatabase('MariaDB', 'sql-engine');
  }, 120_000);
  afterEach(async () => {
    await stores.close();
    await database?.remove();
  });

  // Another engine makes another table, which counts as another history: that is not what is tried here.
  const open = (createTable: boolean) => {
    const options = {
      dataSource: database.options,
      namespace: 'shop',
      createTable,
      assumeNoLostWrites: true,
    };
    return stores.open(options, undefined, withoutAskingForSettings);
  };

  it.each([
    ['snowflake_lease', 'MyISAM'],
    ['snowflake_lease_namespace', 'MyISAM'],
    ['snowflake_lease', 'Aria'],
  ])('are refused, with the remedy, until it is followed: %s with %s', async (table, engine) => {
    await granted(open(true).lease(firstRequest('first')));
    await database.desk.query(`ALTER TABLE ${table} ENGINE=${engine}`);
    const store = open(false);
    await expect(store.lease(firstRequest('second'))).rejects.toMatchObject({
      code: 'SNOWFLAKE_STORE_REJECTED',
      message: expect.stringMatching(
        new RegExp(`table ${table}: its engine ${engine} .*ALTER TABLE ${table} ENGINE=InnoDB`),
      ),
    });
    await database.desk.query(`ALTER TABLE ${table} ENGINE=InnoDB`);
    expect((await granted(store.lease(firstRequest('second')))).workerId).toBe(1);
  });

  it('are refused as well when they come after the first call of the store', async () => {
    const store = open(false);
    await expect(store.lease(firstRequest('first'))).rejects.toThrow('Run the migration');
    await granted(open(true).lease(firstRequest('other')));
    await database.desk.query('ALTER TABLE snowflake_lease ENGINE=MyISAM');
    await expect(store.lease(firstRequest('first'))).rejects.toThrow('ALTER TABLE');
  });
});

describe('a MariaDB connection that counts only the rows that become different', () => {
  it('renews within one millisecond as well', async () => {
    const database = await makeDatabase('MariaDB', 'sql-found-rows');
    const options = { ...database.options, flags: ['-FOUND_ROWS'] } as DataSourceOptions;
    const virtual = new VirtualDatabase({ ...database, options });
    try {
      await virtual.prepare();
      await virtual.setClock(1_000_000);
      const { workerId, fencingToken, untilMs } = await granted(virtual.store.lease(firstRequest('holder')));
      const renewal = firstRequest('holder', { claim: { workerId, fencingToken, untilMs } });
      expect(await virtual.store.lease(renewal)).toMatchObject({ outcome: 'kept', untilMs });
      await virtual.setClock(1_000_001);
      expect(await virtual.store.lease(renewal)).toMatchObject({ outcome: 'kept', untilMs: untilMs + 1 });
    } finally {
      await virtual.close();
      await database.remove();
    }
  });
});
