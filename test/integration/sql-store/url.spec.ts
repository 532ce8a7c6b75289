import { join } from 'node:path';
import { sqlSegmentStore } from 'nestjs-snowflake-segments';
import { DataSource } from 'typeorm';
import { hasSeriesTables } from '../../../libs/snowflake-series/src/database/create-series-tables.js';
import { databaseFor } from '../../support/servers/index.js';
import { firstRequest, granted } from '../redis-store/requests.js';
import { operate } from '../../../libs/snowflake-cli/test/operator.js';
import { KINDS, type Kind, makeDatabase } from './support/databases.js';
import { Stores } from './support/stores.js';
import { cleanUpAfterAll, temporaryFolder } from '../../support/clean-up.js';

const folder = temporaryFolder(cleanUpAfterAll());

async function urlOf(kind: Kind): Promise<string> {
  if (kind === 'SQLite') return `sqlite:${join(folder, 'leases.sqlite')}`;
  return databaseFor(kind === 'MariaDB' ? 'mariadb' : 'postgres', 'sql-url');
}

describe('a SQL store with a URL', () => {
  const stores = new Stores();
  afterEach(() => stores.close());

  const leaseOf = async (options: Parameters<Stores['open']>[0], holder: string): Promise<number> =>
    (await granted(stores.open(options).lease(firstRequest(holder)))).workerId;

  it.each(KINDS)('leases different worker IDs to two processes on %s', async (kind) => {
    const options = { url: await urlOf(kind), namespace: 'shop', createTable: true };
    expect([await leaseOf(options, 'first'), await leaseOf(options, 'second')]).toEqual([0, 1]);
  });

  it.each(['PostgreSQL', 'MariaDB'] as const)(
    'asks the function for the URL again after %s refused it',
    async (kind) => {
      const right = await urlOf(kind);
      const answers = [Object.assign(new URL(right), { pathname: '/missing' }).href];
      const url = async (): Promise<string> => answers.shift() ?? right;
      const store = stores.open({ url, namespace: 'shop', createTable: true });
      await expect(store.lease(firstRequest('first'))).rejects.toMatchObject({
        code: 'SNOWFLAKE_STORE_REJECTED',
      });
      store.reconnect?.();
      expect((await granted(store.lease(firstRequest('first')))).workerId).toBe(0);
    },
  );

  it('passes driver options to mysql2', async () => {
    const url = await urlOf('MariaDB');
    const unreachable = Object.assign(new URL(url), { port: '1' }).href;
    const options = { url: unreachable, namespace: 'shop', createTable: true };
    await expect(leaseOf(options, 'first')).rejects.toMatchObject({ code: 'SNOWFLAKE_STORE_UNAVAILABLE' });
    const driverOptions = { port: Number(new URL(url).port) };
    await expect(leaseOf({ ...options, driverOptions }, 'first')).resolves.toBe(0);
  });

  it('passes driver options to pg', async () => {
    const url = await urlOf('PostgreSQL');
    const driverOptions = { ssl: { rejectUnauthorized: true } };
    const options = { url, namespace: 'shop', createTable: true, driverOptions };
    await expect(leaseOf(options, 'first')).rejects.toThrow('does not support SSL');
  });

  it('keeps its tables in the schema of PostgreSQL that the options name', async () => {
    const url = await urlOf('PostgreSQL');
    const admin = await new DataSource({ type: 'postgres', url }).initialize();
    await admin.query('CREATE SCHEMA ids');
    await leaseOf({ url, schema: 'ids', namespace: 'shop', createTable: true }, 'first');
    const rows = await admin.query('SELECT worker_id FROM ids.snowflake_lease');
    await admin.destroy();
    expect(rows).toEqual([{ worker_id: 0 }]);
  });
});

describe('the statements of "nestjs-snowflake-cli sql tables"', () => {
  const stores = new Stores();
  afterEach(() => stores.close());

  it.each([
    ['PostgreSQL', 'postgres'],
    ['MariaDB', 'mariadb'],
    ['SQLite', 'sqlite'],
  ] as const)('create the tables that leases, segments and series need on %s', async (kind, dialect) => {
    const database = await makeDatabase(kind, 'sql-printed');
    const { options, admin } = database;
    const run = async (...flags: string[]): Promise<void> => {
      const { stdout } = await operate(['sql', 'tables', '--dialect', dialect, ...flags]);
      const statements = stdout.split('\n').filter((line) => line !== '' && !line.startsWith('--'));
      for (const statement of statements) await admin.query(statement.replace(/;$/, ''));
    };
    const segments = sqlSegmentStore({ dataSource: options, tableName: 'shop_segment' });
    try {
      await run();
      await run('--table', 'shop_lease');
      await run('--for', 'series');
      await run('--for', 'segments', '--table', 'shop_segment');
      for (const tableName of ['snowflake_lease', 'shop_lease']) {
        const store = stores.open({ dataSource: options, tableName, namespace: 'shop' });
        expect((await granted(store.lease(firstRequest('first')))).workerId).toBe(0);
      }
      segments.open?.({ callTimeoutMs: 20_000 });
      const tag = { tag: 'order', first: 1, step: 1000 };
      expect(await segments.create(tag)).toEqual({ outcome: 'lost', reason: 'history' });
      expect(await segments.resume({})).toEqual({ outcome: 'resumed' });
      expect(await segments.create(tag)).toEqual({ outcome: 'created' });
      expect(await hasSeriesTables(admin)).toBe(true);
    } finally {
      await segments.close();
      await stores.close();
      await database.remove();
    }
  });

  it('refuses a name for the tables of series', async () => {
    const args = ['sql', 'tables', '--dialect', 'postgres', '--for', 'series', '--table', 'shop'];
    expect(await operate(args)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('--table'),
    });
  });
});
