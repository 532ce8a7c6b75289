import {
  CreateSnowflakeSegmentTables1767225600002,
  type SegmentStore,
  sqlSegmentStore,
  type SqlSegmentStoreOptions,
} from 'nestjs-snowflake-segments';
import { DataSource, type DataSourceOptions } from 'typeorm';
import {
  KINDS,
  makeDatabase,
  type TestDatabase,
} from '../../../test/integration/sql-store/support/databases.js';
import { asUserWith } from '../../../test/integration/sql-store/support/limited-user.js';

const TABLES = ['snowflake_segment', 'snowflake_segment_state', 'snowflake_segment_claim'];

class CreateShopSegmentTables1767225600003 extends CreateSnowflakeSegmentTables1767225600002 {
  override readonly name = 'CreateShopSegmentTables1767225600003';
  protected override readonly tableName = 'shop_segment';
}

const databases: TestDatabase[] = [];
const stores: SegmentStore[] = [];

afterEach(async () => {
  await Promise.all(stores.splice(0).map((store) => store.close()));
  await Promise.all(databases.splice(0).map((database) => database.remove()));
});

async function newDatabase(kind: (typeof KINDS)[number]): Promise<TestDatabase> {
  const database = await makeDatabase(kind, 'segment-tables');
  databases.push(database);
  return database;
}

function open(dataSource: DataSourceOptions, options: Partial<SqlSegmentStoreOptions> = {}): SegmentStore {
  const store = sqlSegmentStore({ dataSource, ...options });
  store.open?.({ callTimeoutMs: 20_000 });
  stores.push(store);
  return store;
}

/** Creates the tag unless it exists, and claims ten numbers. Returns the first. */
async function claimed(store: SegmentStore, token: string): Promise<number> {
  await store.create({ tag: 'order', first: 1, step: 1000 });
  const reply = await store.claim({ tag: 'order', token, count: 10, finished: [] });
  if (reply.outcome !== 'granted') throw new Error(JSON.stringify(reply));
  return reply.first;
}

async function withMigrations(
  { options }: TestDatabase,
  work: (dataSource: DataSource) => Promise<void>,
): Promise<void> {
  const migrations = [CreateSnowflakeSegmentTables1767225600002, CreateShopSegmentTables1767225600003];
  const dataSource = await new DataSource({ ...options, migrations } as DataSourceOptions).initialize();
  try {
    await work(dataSource);
  } finally {
    await dataSource.destroy();
  }
}

/** The tables as the database describes them, and what they hold, except for the history and the time. */
async function schemaOf({ admin }: TestDatabase): Promise<unknown> {
  const runner = admin.createQueryRunner();
  try {
    const tables = await runner.getTables(TABLES);
    return tables
      .map(({ name, columns, indices, engine }) => ({
        name: name.split('.').at(-1),
        engine,
        columns: columns.map(
          ({ name: column, type, length, default: value, isNullable, isPrimary, collation }) =>
            JSON.stringify({ column, type, length, value, isNullable, isPrimary, collation }),
        ),
        indices: indices.map(({ name: index, columnNames }) => `${index}: ${columnNames.join(', ')}`),
      }))
      .toSorted((one, other) => String(one.name).localeCompare(String(other.name)));
  } finally {
    await runner.release();
  }
}

describe.each(KINDS)('the tables of segments on %s [promise: segments]', (kind) => {
  it('creates the tables with the migration, drops them when it is reverted, and creates them again', async () => {
    const database = await newDatabase(kind);
    const store = open(database.options);
    await withMigrations(database, async (dataSource) => {
      await dataSource.runMigrations();
      expect(await claimed(store, 'a')).toBe(1);
      expect(await claimed(store, 'b')).toBe(11);
      await dataSource.undoLastMigration();
      expect(await claimed(store, 'c')).toBe(21);
      await dataSource.undoLastMigration();
      await expect(claimed(store, 'd')).rejects.toThrow('Run the migration CreateSnowflakeSegmentTables');
      await dataSource.runMigrations();
      expect(await claimed(open(database.options), 'e')).toBe(1);
    });
  });

  it('creates the same tables with the migration as with the store', async () => {
    const [migrated, created] = [await newDatabase(kind), await newDatabase(kind)];
    await withMigrations(migrated, async (dataSource) => void (await dataSource.runMigrations()));
    await claimed(open(created.options, { createTable: true }), 'a');
    const schema = await schemaOf(migrated);
    expect(schema).toHaveLength(3);
    expect(schema).toEqual(await schemaOf(created));
  });

  it('leaves the tables of the store as they are in a migration that comes later', async () => {
    const database = await newDatabase(kind);
    const store = open(database.options, { createTable: true });
    await claimed(store, 'a');
    const before = await schemaOf(database);
    await withMigrations(database, async (dataSource) => void (await dataSource.runMigrations()));
    expect(await schemaOf(database)).toEqual(before);
    expect(await claimed(store, 'b')).toBe(11);
  });

  it('uses tables with another name', async () => {
    const database = await newDatabase(kind);
    await withMigrations(database, async (dataSource) => void (await dataSource.runMigrations()));
    for (const tableName of ['snowflake_segment', 'shop_segment'])
      expect(await claimed(open(database.options, { tableName }), tableName)).toBe(1);
  });

  it('creates the tables from whichever of eight stores comes first, and all eight succeed', async () => {
    const { options } = await newDatabase(kind);
    const claims = Array.from({ length: 8 }, (_, index) =>
      claimed(open(options, { createTable: true }), `token ${index}`),
    );
    const firsts = await Promise.all(claims);
    expect(firsts.toSorted((one, other) => one - other)).toEqual([1, 11, 21, 31, 41, 51, 61, 71]);
  });
});

describe.each(['PostgreSQL', 'MariaDB'] as const)('a user of segments on %s', (kind) => {
  it('serves a user with SELECT, INSERT, UPDATE and DELETE on the tables alone', async () => {
    const database = await newDatabase(kind);
    await claimed(open(database.options, { createTable: true }), 'owner');
    const rights = 'SELECT, INSERT, UPDATE, DELETE';
    const allowed = open(await asUserWith(kind, database, rights, TABLES));
    expect(await claimed(allowed, 'a')).toBe(11);
    expect(await allowed.returnRemainder({ tag: 'order', token: 'a', first: 12, count: 9 })).toEqual({
      outcome: 'returned',
    });
    const finished = { tag: 'order', token: 'b', count: 9, finished: ['a'] };
    expect(await allowed.claim(finished)).toMatchObject({ outcome: 'granted' });
  });

  it('refuses a user without UPDATE and DELETE, with the remedy', async () => {
    const database = await newDatabase(kind);
    await claimed(open(database.options, { createTable: true }), 'owner');
    const limited = open(await asUserWith(kind, database, 'SELECT, INSERT', TABLES));
    await expect(claimed(limited, 'a')).rejects.toMatchObject({
      code: 'SNOWFLAKE_STORE_REJECTED',
      message: expect.stringContaining('SELECT, INSERT, UPDATE and DELETE on the three tables'),
    });
  });
});

it('creates the tables in a migration on a PostgreSQL that hides its history, and leaves the first claim to an operator', async () => {
  const database = await newDatabase('PostgreSQL');
  const options = await asUserWith('PostgreSQL', database, 'SELECT', []);
  const { username } = new URL((options as { url: string }).url);
  await database.admin.query('REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC');
  await database.admin.query(`GRANT CREATE, USAGE ON SCHEMA public TO ${username}`);
  await withMigrations(
    { ...database, options },
    async (dataSource) => void (await dataSource.runMigrations()),
  );
  // Another user of the same server sees the history, which no row keeps yet.
  const store = open(database.options);
  const tag = { tag: 'order', first: 1, step: 1000 };
  expect(await store.create(tag)).toEqual({ outcome: 'lost', reason: 'history' });
  expect(await store.resume({})).toEqual({ outcome: 'resumed' });
  expect(await claimed(store, 'a')).toBe(1);
});
