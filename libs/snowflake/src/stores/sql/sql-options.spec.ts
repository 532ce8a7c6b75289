import { inspect } from 'node:util';
import type { DataSourceOptions } from 'typeorm';
import { InvalidOptionError } from '../../core/errors/index.js';
import { sqlLeaseStore, type SqlLeaseStoreOptions } from './index.js';

const postgres: DataSourceOptions = { type: 'postgres', url: 'postgres://127.0.0.1:1/shop' };
const options = { dataSource: postgres, namespace: 'shop' };

describe('the options of the SQL store', () => {
  it('suffice with a database and a namespace, which name the store', () => {
    expect(sqlLeaseStore(options).description).toBe('postgres namespace "shop"');
    expect(sqlLeaseStore({ ...options, dataSource: () => postgres }).description).toBe(
      'sql namespace "shop"',
    );
  });

  it.each([
    ['namespace', { namespace: '' }],
    ['namespace', { namespace: 'a b' }],
    ['namespace', { namespace: 'x'.repeat(129) }],
    ['dataSource', { dataSource: undefined }],
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
  ])('refuse a wrong %s: %j', (option, change) => {
    const wrong = { ...options, ...change } as unknown as SqlLeaseStoreOptions;
    expect(() => sqlLeaseStore(wrong)).toThrow(
      expect.objectContaining({ constructor: InvalidOptionError, option }),
    );
  });

  it.each<[string, unknown]>([
    ['a URL', 'postgres://shop:hunter2@db/shop'],
    ['a DSN', 'shop:hunter2@db'],
    ['a URL as type', { type: 'shop:hunter2@db' }],
    ['a key of SQLite', { type: 'better-sqlite3', database: 'file::memory:?key=hunter2' }],
  ])('are refused without their password: %s', (_, dataSource) => {
    let thrown: unknown;
    try {
      sqlLeaseStore({ ...options, dataSource: dataSource as DataSourceOptions });
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ code: 'SNOWFLAKE_INVALID_OPTION', value: '(not shown)' });
    expect(inspect(thrown, { depth: Infinity, showHidden: true })).not.toContain('hunter2');
  });

  it('are refused at the first call when their URL is half encoded', async () => {
    const dataSource: DataSourceOptions = { type: 'postgres', url: 'postgres://shop:50%hunter2@db/shop' };
    const store = sqlLeaseStore({ ...options, dataSource });
    const error: unknown = await store.inspect().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 'SNOWFLAKE_STORE_REJECTED',
      message: expect.stringContaining('Percent-encode the user name and password'),
    });
    expect(inspect(error, { depth: Infinity, showHidden: true })).not.toContain('hunter2');
    await store.close();
  });

  it('are not shown by the store', () => {
    const dataSource: DataSourceOptions = { type: 'postgres', url: 'postgres://shop:hunter2@db/shop' };
    const store = sqlLeaseStore({ ...options, dataSource });
    expect(inspect(dataSource)).toContain('hunter2');
    expect(inspect(store, { depth: Infinity, showHidden: true }) + JSON.stringify(store)).not.toContain(
      'hunter2',
    );
  });

  it('are checked at the first call where a function gives the database', async () => {
    const dataSource = async (): Promise<DataSourceOptions> =>
      ({ type: 'better-sqlite3', database: ':memory:' }) as DataSourceOptions;
    const store = sqlLeaseStore({ ...options, dataSource });
    await expect(store.inspect()).rejects.toThrow(InvalidOptionError);
    await store.close();
  });

  it.each([undefined, null, 'postgres://db/shop', () => postgres])(
    'are refused where a function gives %p for a database',
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
