import { SnowflakeIdMaker } from 'nestjs-snowflake';
import { sqlLeaseStore } from 'nestjs-snowflake/sql';
import { CreateSnowflakeLeaseTables1767225600000 } from 'nestjs-snowflake/typeorm';
import { StoreRejectedError } from 'nestjs-snowflake/standalone';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { SqlLeaseStore } from '../../../libs/snowflake/src/stores/sql/sql-lease-store.js';
import { claimOf, firstRequest, granted, renewed } from '../redis-store/requests.js';
import { KINDS, makeDatabase, type TestDatabase } from './support/databases.js';
import { asUserWith } from './support/limited-user.js';
import { Stores, withDialect, withoutAskingForSettings } from './support/stores.js';
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
  });
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

  it('asks for tables that are missing, with both remedies', async () => {
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

  const dropTables = async (): Promise<void> => {
    for (const table of ['snowflake_lease', 'snowflake_lease_namespace'])
      await database.admin.query(`DROP TABLE ${table}`);
  };

  it('creates tables again that are dropped later, and the holder keeps its worker ID from others [promise: unique]', async () => {
    const open = (): SnowflakeIdMaker =>
      new SnowflakeIdMaker({
        store: stores.open({ dataSource: database.options, namespace: 'shop', createTable: true }),
        lease: { possibleLoss: 'ignore' },
      });
    const [holder, newcomer] = [open(), open()];
    await holder.start();
    const { workerId } = holder.status();

    await dropTables();
    await holder.renew();
    await newcomer.start();

    expect(holder.status()).toMatchObject({ state: 'active', workerId, lastError: undefined });
    expect(newcomer.status().workerId).not.toBe(workerId);
    await Promise.all([holder.stop(), newcomer.stop()]);
  });

  it('says that tables were dropped if the store may not create them', async () => {
    await granted(
      stores
        .open({ dataSource: database.options, namespace: 'shop', createTable: true })
        .lease(firstRequest('creator')),
    );
    const store = stores.open({ dataSource: database.options, namespace: 'shop' });
    await granted(store.lease(firstRequest('holder')));

    await dropTables();

    const refusal: unknown = await store.lease(firstRequest('again')).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(StoreRejectedError);
    expect(refusal).toHaveProperty(
      'message',
      expect.stringContaining('dropped since this process connected'),
    );
  });

  it('creates the tables from whichever of eight stores comes first, and all eight succeed', async () => {
    const crowd = Array.from({ length: 8 }, () =>
      stores.open({ dataSource: database.options, namespace: 'shop', createTable: true }),
    );
    const grants = await Promise.all(
      crowd.map((store, index) => granted(store.lease(firstRequest(`holder ${index}`)))),
    );
    expect(grants.map(({ workerId }) => workerId).sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  it('creates and drops the tables with the migration, which does no harm where they exist', async () => {
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
      // The first store would create them again.
      const later = stores.open({ dataSource: database.options, namespace: 'shop' });
      await expect(later.lease(firstRequest('nowhere'))).rejects.toThrow(StoreRejectedError);
    });
  });

  it('takes an async function that returns the database, and a DataSource that is not initialized', async () => {
    const later = async (): Promise<DataSource> => new DataSource(database.options);
    const store = stores.open({ dataSource: later, namespace: 'shop', createTable: true });
    expect((await granted(store.lease(firstRequest('holder')))).workerId).toBe(0);
  });

  it('keeps namespaces apart that differ in a capital letter alone', async () => {
    for (const namespace of ['shop', 'Shop']) {
      const store = stores.open({ dataSource: database.options, namespace, createTable: true });
      expect((await granted(store.lease(firstRequest('holder')))).workerId).toBe(0);
      expect((await store.inspect()).rows).toHaveLength(1);
    }
  });

  it('shows nothing of an unknown namespace, and adds no row for it', async () => {
    const store = stores.open({ dataSource: database.options, namespace: 'unknown', createTable: true });
    const waiting = kind === 'SQLite' ? {} : { waiting: 0 };
    expect(await store.inspect()).toEqual({ storeNowMs: expect.any(Number), rows: [], ...waiting });
    expect(await store.release({ workerId: 0, fencingToken: 'x@1', lastUsedMs: 1 })).toEqual({
      outcome: 'gone',
    });
    expect(
      await database.admin.query("SELECT * FROM snowflake_lease_namespace WHERE namespace <> ''"),
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
  });
  afterEach(async () => {
    await stores.close();
    await database?.remove();
  });

  const asUser = (rights: string): Promise<DataSourceOptions> =>
    asUserWith(kind, database, rights, ['snowflake_lease', 'snowflake_lease_namespace']);

  it('serves a user with SELECT, INSERT and UPDATE on the tables alone', async () => {
    const dataSource = await asUser('SELECT, INSERT, UPDATE');
    const store = stores.open({ dataSource, namespace: 'shop', createTable: true });
    const grant = await granted(store.lease(firstRequest('holder')));
    expect(grant.workerId).toBe(1);
    const renewal = store.lease(firstRequest('later', claimOf(grant)));
    const { workerId, fencingToken, untilMs } = await renewed(grant, renewal);
    expect(await store.release({ workerId, fencingToken, lastUsedMs: untilMs })).toEqual({
      outcome: 'released',
    });
  });

  it('refuses a user without INSERT, with the remedy', async () => {
    const store = stores.open({ dataSource: await asUser('SELECT, UPDATE'), namespace: 'shop' });
    const refusal = store.lease(firstRequest('holder'));
    await expect(refusal).rejects.toThrow(StoreRejectedError);
    await expect(refusal).rejects.toThrow('SELECT, INSERT and UPDATE on both tables');
  });
});

describe('a schema of PostgreSQL', () => {
  it('creates the tables in the schema that the DataSource names', async () => {
    const database = await makeDatabase('PostgreSQL', 'sql-schema');
    const stores = new Stores();
    try {
      await database.admin.query('CREATE SCHEMA ids');
      const dataSource = { ...database.options, schema: 'ids' } as DataSourceOptions;
      const store = stores.open({ dataSource, namespace: 'shop', createTable: true });
      await granted(store.lease(firstRequest('holder')));
      expect(await database.admin.query('SELECT worker_id FROM ids.snowflake_lease')).toEqual([
        { worker_id: 0 },
      ]);
    } finally {
      await stores.close();
      await database.remove();
    }
  });
});

describe('a MariaDB server that takes an empty string for NULL', () => {
  it('releases a lease where MariaDB takes an empty string for NULL', async () => {
    const database = await makeDatabase('MariaDB', 'sql-mode');
    const options = { dataSource: database.options, namespace: 'shop', createTable: true };
    const mechanisms = withDialect((dialect) => ({
      ...dialect,
      prepare: (callTimeoutMs) => [
        "SET SESSION sql_mode = 'STRICT_TRANS_TABLES,EMPTY_STRING_IS_NULL'",
        ...dialect.prepare(callTimeoutMs),
      ],
    }));
    const store = new SqlLeaseStore(options, mechanisms);
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
  });
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
  ])(
    'refuses tables whose engine locks no rows, with the remedy, until it is followed: %s with %s',
    async (table, engine) => {
      await granted(open(true).lease(firstRequest('first')));
      await database.admin.query(`ALTER TABLE ${table} ENGINE=${engine}`);
      const store = open(false);
      await expect(store.lease(firstRequest('second'))).rejects.toMatchObject({
        code: 'SNOWFLAKE_STORE_REJECTED',
        message: expect.stringMatching(
          new RegExp(`table ${table}: its engine ${engine} .*ALTER TABLE ${table} ENGINE=InnoDB`),
        ),
      });
      await database.admin.query(`ALTER TABLE ${table} ENGINE=InnoDB`);
      expect((await granted(store.lease(firstRequest('second')))).workerId).toBe(1);
    },
  );

  it('refuses tables whose engine locks no rows when they come after the first call', async () => {
    const store = open(false);
    await expect(store.lease(firstRequest('first'))).rejects.toThrow('Run the migration');
    await granted(open(true).lease(firstRequest('other')));
    await database.admin.query('ALTER TABLE snowflake_lease ENGINE=MyISAM');
    await expect(store.lease(firstRequest('first'))).rejects.toThrow('ALTER TABLE');
  });
});

describe('a MariaDB connection that counts only the rows that become different', () => {
  it('renews within one millisecond where MariaDB counts only the rows that become different', async () => {
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

const stores = new Stores();
let database: TestDatabase;

afterEach(async () => {
  await stores.close();
  await database?.remove();
});

const open = (dataSource: DataSourceOptions) =>
  stores.open({ dataSource, namespace: 'shop', createTable: true });

describe('two schemas of one PostgreSQL', () => {
  const withSchema = (name: string) => ({ ...database.options, schema: name }) as DataSourceOptions;
  const withSearchPath = (name: string) =>
    ({ ...database.options, extra: { options: `-c search_path=${name}` } }) as DataSourceOptions;

  beforeEach(async () => {
    database = await makeDatabase('PostgreSQL', 'sql-schemas');
    for (const name of ['"Tenant\'s 1"', 'tenant2']) await database.admin.query(`CREATE SCHEMA ${name}`);
  });

  it.each([
    ['schema', withSchema],
    ['search_path', withSearchPath],
  ])('keeps a registry in each of two schemas, and the stores name theirs: by %s', async (by, options) => {
    const first = open(options(by === 'schema' ? "Tenant's 1" : '"Tenant\'s\\ 1"'));
    const second = open(options('tenant2'));
    expect(second.description).toBe('postgres namespace "shop"');
    for (const store of [first, second]) {
      // The same worker ID: what the description is to reveal.
      expect((await granted(store.lease(firstRequest('first')))).workerId).toBe(0);
    }
    expect(first.description).toBe('postgres schema "Tenant\'s 1" namespace "shop"');
    expect(second.description).toBe('postgres schema "tenant2" namespace "shop"');
    await database.admin.query('ALTER TABLE tenant2.snowflake_lease_namespace RENAME COLUMN layout TO other');
    await expect(second.lease(firstRequest('third'))).rejects.toThrow('postgres schema "tenant2"');
  });

  it('names the schema in the errors and the status of an ID maker', async () => {
    const dataSource = withSearchPath('nowhere,public');
    await granted(open(dataSource).lease(firstRequest('first')));
    const store = sqlLeaseStore({ dataSource, namespace: 'shop' });
    const ids = new SnowflakeIdMaker({ store });
    // The namespace has another layout.
    await expect(ids.start()).rejects.toThrow('postgres schema "public"');
    expect(ids.status().store).toBe('postgres schema "public" namespace "shop"');
    await ids.stop();
  });
});

it('names the database of a store on MariaDB', async () => {
  database = await makeDatabase('MariaDB', 'sql-place');
  const [{ name }] = await database.admin.query('SELECT DATABASE() AS name');
  const store = open(database.options);
  await granted(store.lease(firstRequest('first')));
  expect(store.description).toBe(`mariadb database "${name}" namespace "shop"`);
});

it('names no place for a store on SQLite', async () => {
  database = await makeDatabase('SQLite', 'sql-place');
  const store = open(database.options);
  await granted(store.lease(firstRequest('first')));
  expect(store.description).toBe('sqlite namespace "shop"');
});
