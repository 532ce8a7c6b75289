import { inspect } from 'node:util';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { InvalidOptionError } from '../../../libs/snowflake/src/core/errors/input-errors.js';
import { sqlLeaseStore } from '../../../libs/snowflake/src/stores/sql/sql-lease-store.js';
import type { SqlLeaseStoreOptions } from '../../../libs/snowflake/src/stores/sql/sql-options.js';

const postgres: DataSourceOptions = { type: 'postgres', url: 'postgres://127.0.0.1:1/shop' };
const options = { dataSource: postgres, namespace: 'shop' };

describe('the options of the SQL store [promise: secrets]', () => {
  it('needs only a database and a namespace, which name the store', () => {
    expect(sqlLeaseStore(options).description).toBe('postgres namespace "shop"');
    expect(sqlLeaseStore({ ...options, dataSource: () => postgres }).description).toBe(
      'sql namespace "shop"',
    );
  });

  it.each([
    ['namespace', { namespace: '' }],
    ['namespace', { namespace: 'a b' }],
    ['namespace', { namespace: 'x'.repeat(129) }],
    ['url', { dataSource: undefined }],
    ['url', { dataSource: undefined, url: '' }],
    ['url', { dataSource: undefined, url: 'redis://db' }],
    ['url', { dataSource: undefined, url: 'postgres' }],
    ['url', { url: 'postgres://db/shop' }],
    ['driverOptions', { driverOptions: {} }],
    ['driverOptions', { dataSource: undefined, url: 'postgres://db/shop', driverOptions: 'ssl' }],
    ['schema', { schema: 'ids' }],
    ['dataSource', { dataSource: 'postgres://db/shop' }],
    ['dataSource.type', { dataSource: { type: 'mongodb' } }],
    ['dataSource.type', { dataSource: { type: 'toString' } }],
    ['dataSource.database', { dataSource: { type: 'better-sqlite3', database: ':memory:' } }],
    ['dataSource.database', { dataSource: { type: 'better-sqlite3', database: '' } }],
    ['dataSource.database', { dataSource: { type: 'better-sqlite3', database: 'file:x?mode=memory' } }],
    ['tableName', { tableName: 'lease; DROP TABLE orders' }],
    ['tableName', { tableName: '1lease' }],
    ['tableName', { tableName: 'x'.repeat(41) }],
    ['createTable', { createTable: 'yes' }],
    ['createTables', { createTables: true }],
  ])('refuses a wrong %s: %j', (option, change) => {
    const wrong = { ...options, ...change } as unknown as SqlLeaseStoreOptions;
    expect(() => sqlLeaseStore(wrong)).toThrow(
      expect.objectContaining({ constructor: InvalidOptionError, option }),
    );
  });

  it.each([
    ['driverOptions.password', 'postgres://shop@db/shop', { password: async () => 'hunter2' }],
    ['driverOptions.host', 'postgres:///shop', { host: '/var/run/postgresql' }],
    ['driverOptions.ssl', 'postgres://db/shop?sslmode=require', { ssl: { ca: 'hunter2' } }],
    ['url', 'postgres://db/shop?schema=audit', undefined],
    ['url', 'postgresql://db/shop?connection_limit=5&currentSchema=audit', undefined],
    ['url', 'postgres://shop@/shop?host=/var/run/postgresql&search_path=audit', undefined],
    ['url', 'mysql://db/shop?ssl-mode=REQUIRED', undefined],
    ['url', 'mysql://db/shop?sslaccept=strict', { ssl: undefined }],
    ['url', 'mariadb://db/shop?useSSL=true', undefined],
    ['url', 'mariadb://db/shop?ssl=true', undefined],
  ])('refuses a wrong %s, which the driver would drop beside %s', async (option, url, driverOptions) => {
    const refusal = expect.objectContaining({ constructor: InvalidOptionError, option });
    const wrong = { namespace: 'shop', driverOptions };
    expect(() => sqlLeaseStore({ ...wrong, url })).toThrow(refusal);
    await expect(sqlLeaseStore({ ...wrong, url: () => url }).inspect()).rejects.toEqual(refusal);
  });

  it.each([
    ['postgres://shop:secret@/shop?host=/var/run/postgresql', undefined],
    ['postgres://shop@%2Fvar%2Frun%2Fpostgresql/shop', undefined],
    ['postgres://db/shop?application_name=shop', { ssl: { ca: 'ca' }, password: undefined }],
    ['mysql://db/shop?ssl={"rejectUnauthorized":true}&charset=utf8mb4', { port: 3307 }],
    ['mysql://db/shop?ssl=Amazon RDS', undefined],
    ['mysql://db/shop?sslaccept=strict&connection_limit=5', { ssl: {} }],
    ['mysql://db/shop?ssl-mode=DISABLED&useSSL=false', undefined],
  ])('accepts a URL that the driver reads: %s', (url, driverOptions) => {
    expect(() => sqlLeaseStore({ url, driverOptions, namespace: 'shop' })).not.toThrow();
  });

  it('names the schema of a URL that pg does not read, and accepts it beside the option schema', () => {
    const url = 'postgres://shop:secret@db/shop?schema=audit';
    expect(() => sqlLeaseStore({ url, namespace: 'shop' })).toThrow(/Set the option schema: 'audit'/);
    expect(() => sqlLeaseStore({ url, schema: 'audit', namespace: 'shop' })).not.toThrow();
    const searchPath = 'postgres://db/shop?options=-c%20search_path%3Daudit';
    expect(() => sqlLeaseStore({ url: searchPath, namespace: 'shop' })).not.toThrow();
  });

  it.each<[string, unknown]>([
    ['a URL', 'postgres://shop:hunter2@db/shop'],
    ['a DSN', 'shop:hunter2@db'],
    ['a URL as type', { type: 'shop:hunter2@db' }],
    ['a key of SQLite', { type: 'better-sqlite3', database: 'file::memory:?key=hunter2' }],
  ])('refuses options without showing their password: %s', (_, dataSource) => {
    let thrown: unknown;
    try {
      sqlLeaseStore({ ...options, dataSource: dataSource as DataSourceOptions });
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ code: 'SNOWFLAKE_INVALID_OPTION', value: '(not shown)' });
    expect(inspect(thrown, { depth: Infinity, showHidden: true })).not.toContain('hunter2');
  });

  describe('whose URL no driver can read', () => {
    const problemWith = (dataSource: object, make = sqlLeaseStore): unknown => {
      try {
        return make({ ...options, dataSource: dataSource as DataSourceOptions });
      } catch (error) {
        return error;
      }
    };

    // In functions, because an error that is printed in full would show the secret in the title of its test.
    it.each([
      ['half encoded', 'postgres', () => 'postgres://shop:50%hunter2@db/shop'],
      ['with a # in the password', 'postgres', () => 'postgres://shop:50#hunter2@db/shop'],
      ['with a ? in the password', 'postgres', () => 'postgres://shop:50?hunter2@db/shop'],
      ['with a / in the password', 'postgres', () => 'postgres://shop:a/hunter2@db/shop'],
      ['without a scheme', 'postgres', () => 'hunter2@db/shop'],
      ['a word', 'postgres', () => 'hunter2'],
      ['a list', 'postgres', () => ['postgres://shop:hunter2@db/shop']],
      ['half encoded', 'mysql', () => 'mysql://shop:50%hunter2@db/shop'],
      ['with a / in the password', 'mariadb', () => 'mariadb://shop:a/hunter2@db/shop'],
      ['a word', 'mysql', () => 'hunter2'],
    ])('refuses a URL that no driver can read without showing a part of it: %s, for %s', (_, type, urlOf) => {
      const url = urlOf();
      for (const [dataSource, option] of [
        [{ type, url }, 'dataSource.url'],
        [{ type, replication: { master: { url }, slaves: [] } }, 'dataSource.replication.master.url'],
      ] as const) {
        const error = problemWith(dataSource);
        expect(error).toMatchObject({ code: 'SNOWFLAKE_INVALID_OPTION', option });
        expect(error).toMatchObject({ message: expect.stringContaining('percent-encode') });
        expect(inspect(error, { depth: Infinity, showHidden: true })).not.toContain('hunter2');
      }
    });

    it.each([
      ['postgres', 'postgres://shop:p%40ss@db:5432/shop?sslmode=require'],
      ['postgres', 'postgresql://db/shop'],
      ['postgres', 'postgres:///shop'],
      ['postgres', 'postgres://shop:secret@/shop?host=/var/run/postgresql'],
      ['postgres', 'postgres://shop:p@ss@[::1]/shop'],
      ['postgres', '/var/run/postgresql shop'],
      ['postgres', 'socket:/var/run/postgresql?db=shop'],
      ['mysql', 'mysql://shop:p#s?s@db/shop'],
      ['mariadb', 'mariadb://shop@db:3306/shop?ssl=true'],
    ])('accepts a URL that a driver reads: %s %s', (type, url) => {
      expect(problemWith({ type, url })).toHaveProperty('description', `${type} namespace "shop"`);
    });
  });

  describe('without an address', () => {
    const { PGHOST } = process.env;
    beforeEach(() => void delete process.env.PGHOST);
    afterEach(() => {
      if (PGHOST === undefined) delete process.env.PGHOST;
      else process.env.PGHOST = PGHOST;
    });

    const make = (database: object) => () =>
      sqlLeaseStore({ ...options, dataSource: database as DataSourceOptions });

    it.each([
      ['dataSource.url', { type: 'postgres', url: undefined }],
      ['dataSource.url', { type: 'mysql', url: '', username: 'shop' }],
      ['dataSource.url', new DataSource({ type: 'mariadb', url: undefined })],
      ['dataSource.url', { type: 'postgres', url: undefined, host: undefined, extra: { max: 5 } }],
      [
        'dataSource.replication.master.url',
        { type: 'postgres', host: 'replica', replication: { master: { url: undefined }, slaves: [] } },
      ],
    ])('refuses options without an address at once, with the name %s', (option, database) => {
      expect(make(database)).toThrow(
        expect.objectContaining({
          option,
          code: 'SNOWFLAKE_INVALID_OPTION',
          message: expect.stringContaining('environment variable'),
        }),
      );
    });

    it.each([
      { type: 'postgres', database: 'shop' },
      { type: 'postgres', url: undefined, host: '/var/run/postgresql' },
      { type: 'mysql', url: undefined, socketPath: '/run/mysqld/mysqld.sock' },
      { type: 'postgres', url: undefined, extra: { connectionString: 'postgres://db/shop' } },
      { type: 'postgres', url: undefined, extra: { stream: () => undefined } },
      { type: 'postgres', url: undefined, replication: { master: { host: 'db' }, slaves: [] } },
    ])('accepts a database that has an address elsewhere than in url: %j', (database) => {
      expect(make(database)).not.toThrow();
    });

    it('accepts an address in the environment of pg', () => {
      process.env.PGHOST = 'db';
      expect(make({ type: 'postgres', url: undefined })).not.toThrow();
      expect(make({ type: 'mysql', url: undefined })).toThrow(InvalidOptionError);
    });
  });

  it('shows no secret of the options in the description of the store', () => {
    const dataSource: DataSourceOptions = { type: 'postgres', url: 'postgres://shop:hunter2@db/shop' };
    const store = sqlLeaseStore({ ...options, dataSource });
    expect(inspect(dataSource)).toContain('hunter2');
    expect(inspect(store, { depth: Infinity, showHidden: true }) + JSON.stringify(store)).not.toContain(
      'hunter2',
    );
  });

  it('checks options at the first call where a function gives the database', async () => {
    const dataSource = async (): Promise<DataSourceOptions> =>
      ({ type: 'better-sqlite3', database: ':memory:' }) as DataSourceOptions;
    const store = sqlLeaseStore({ ...options, dataSource });
    await expect(store.inspect()).rejects.toThrow(InvalidOptionError);
    await store.close();
  });

  it('checks the address where a function gives the database', async () => {
    const dataSource = (): DataSourceOptions => ({ type: 'mysql', url: undefined });
    const store = sqlLeaseStore({ ...options, dataSource });
    await expect(store.inspect()).rejects.toMatchObject({ option: 'dataSource.url' });
    await store.close();
  });

  it.each([undefined, null, 'postgres://db/shop', () => postgres])(
    'refuses %o where a function gives it for a database',
    async (given) => {
      const dataSource = () => given as unknown as DataSourceOptions;
      const store = sqlLeaseStore({ ...options, dataSource });
      await expect(store.inspect()).rejects.toMatchObject({
        code: 'SNOWFLAKE_INVALID_OPTION',
        option: 'dataSource',
      });
      await store.close();
    },
  );
});
