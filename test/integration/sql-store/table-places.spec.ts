import { SnowflakeIdMaker } from 'nestjs-snowflake';
import { sqlLeaseStore } from 'nestjs-snowflake/sql';
import type { DataSourceOptions } from 'typeorm';
import { firstRequest, granted } from '../redis-store/requests.js';
import { makeDatabase, type TestDatabase } from './support/databases.js';
import { Stores } from './support/stores.js';

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
    for (const name of ['"Tenant\'s 1"', 'tenant2']) await database.desk.query(`CREATE SCHEMA ${name}`);
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
    await database.desk.query('ALTER TABLE tenant2.snowflake_lease_namespace RENAME COLUMN layout TO other');
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
  const [{ name }] = await database.desk.query('SELECT DATABASE() AS name');
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
