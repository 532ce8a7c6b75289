import type { DataSourceOptions } from 'typeorm';
import { LEASE_TABLES } from '../../../libs/snowflake/src/stores/sql/lease-tables.js';
import { SqlRegistry } from '../../../libs/snowflake/src/stores/sql/sql-registry.js';
import type { Query } from '../../../libs/snowflake/src/kit/sql/statements.js';
import { SqlSession } from '../../../libs/snowflake/src/kit/sql/session.js';
import type { LeaseStore } from '../../../libs/snowflake/src/lease/lease-store.js';
import { claimOf, firstRequest, granted, MAX_SKEW_MS, request, WINDOW_MS } from '../redis-store/requests.js';
import { KINDS, makeDatabase, type TestDatabase } from './support/databases.js';
import { Stores } from './support/stores.js';

/** As if the server stood in India, with half an hour to the full one. */
const IN_INDIA = {
  SQLite: {},
  PostgreSQL: { extra: { options: '-c timezone=Asia/Kolkata' } },
  MariaDB: { timezone: '+05:30' },
} as const;

/** PostgreSQL tells who wrote a row; another writer than the library counts as a loss. */
const WRITTEN_BY_US = {
  SQLite: '',
  PostgreSQL: ', written_by = (txid_current() & 4294967295)::text',
  MariaDB: '',
} as const;

describe.each(KINDS)('time and history on %s', (kind) => {
  const stores = new Stores();
  let database: TestDatabase;

  beforeEach(async () => {
    database = await makeDatabase(kind, 'sql-time');
  });
  afterEach(async () => {
    await stores.close();
    await database?.remove();
  });

  it('takes Unix milliseconds from the database, whatever its time zone', async () => {
    const dataSource = { ...database.options, ...IN_INDIA[kind] } as DataSourceOptions;
    const store = stores.open({ dataSource, namespace: 'shop', createTable: true });
    // The server is on this machine, so its clock is this one.
    const beforeMs = Date.now();
    const { storeNowMs } = await granted(store.lease(firstRequest('holder')));
    expect(Number.isSafeInteger(storeNowMs)).toBe(true);
    expect(storeNowMs).toBeGreaterThanOrEqual(beforeMs - 1);
    expect(storeNowMs).toBeLessThanOrEqual(Date.now() + 1);
  });

  it('makes the first start wait once, unless the operator asserts that the namespace is new or that nothing was lost', async () => {
    const open = (namespace: string): LeaseStore =>
      stores.open({ dataSource: database.options, namespace, createTable: true });
    const wait = { outcome: 'wait', reason: 'empty', waitMs: WINDOW_MS + MAX_SKEW_MS };
    expect(await open('shop').lease(request('first'))).toMatchObject(wait);
    expect((await open('shop').lease(request('second'))).outcome).toBe('wait');
    await granted(open('shop').lease(request('third', { ignoreLoss: true })));
    await granted(open('shop').lease(request('fourth')));
    expect((await granted(open('depot').lease(firstRequest('first')))).workerId).toBe(0);
  });

  it('makes a newcomer wait if a row was removed, and carries the claim of its holder over', async () => {
    const store = stores.open({ dataSource: database.options, namespace: 'shop', createTable: true });
    const live = await granted(store.lease(firstRequest('live')));
    await granted(store.lease(firstRequest('other')));
    await database.admin.query('DELETE FROM snowflake_lease WHERE worker_id = 0');
    expect(await store.lease(firstRequest('live again', claimOf(live)))).toMatchObject({ outcome: 'kept' });
    const wait = { outcome: 'wait', reason: 'history', waitMs: WINDOW_MS + MAX_SKEW_MS };
    expect(await store.lease(firstRequest('newcomer'))).toMatchObject(wait);
    expect(await store.lease(firstRequest('live again', claimOf(live)))).toMatchObject({ outcome: 'kept' });
    // The rows that are there now are all, so the wait does not begin anew.
    const ignoring = await granted(store.lease(request('ignoring', { ignoreLoss: true })));
    expect(ignoring.workerId).toBe(2);
    expect((await granted(store.lease(request('newcomer')))).workerId).toBe(3);
  });

  it('waits for forgotten leases after the operator announces a restored state', async () => {
    const store = stores.open({ dataSource: database.options, namespace: 'shop', createTable: true });
    const live = await granted(store.lease(firstRequest('live')));
    await database.admin.query(`UPDATE snowflake_lease_namespace SET history_id = 'restored'`);
    const wait = await store.lease(firstRequest('newcomer'));
    expect(wait).toMatchObject({ outcome: 'wait', reason: 'history', waitMs: WINDOW_MS + MAX_SKEW_MS });
    const { workerId, fencingToken, untilMs } = live;
    const renewal = firstRequest('live again', { claim: { workerId, fencingToken, untilMs } });
    expect(await store.lease(renewal)).toMatchObject({ outcome: 'kept' });
  });

  it('waits when an older row of the namespace was restored, even after a holder has released', async () => {
    const store = stores.open({ dataSource: database.options, namespace: 'shop', createTable: true });
    const { workerId, fencingToken, fromMs } = await granted(store.lease(firstRequest('live')));
    await database.admin.query('CREATE TABLE older_namespace AS SELECT * FROM snowflake_lease_namespace');
    await granted(store.lease(firstRequest('other')));
    await database.admin.query('DELETE FROM snowflake_lease_namespace');
    await database.admin.query('INSERT INTO snowflake_lease_namespace SELECT * FROM older_namespace');
    await store.release({ workerId, fencingToken, lastUsedMs: fromMs });
    expect(await store.lease(firstRequest('newcomer'))).toMatchObject({ outcome: 'wait', reason: 'history' });
  });

  it('waits when the namespace was deleted but not its worker IDs', async () => {
    const store = stores.open({ dataSource: database.options, namespace: 'shop', createTable: true });
    await granted(store.lease(firstRequest('live')));
    await database.admin.query('DELETE FROM snowflake_lease_namespace');
    expect(await store.lease(firstRequest('newcomer'))).toMatchObject({ outcome: 'wait', reason: 'empty' });
  });

  it('waits when everything was deleted and a holder shows up first', async () => {
    const store = stores.open({ dataSource: database.options, namespace: 'shop', createTable: true });
    const { workerId, fencingToken, untilMs } = await granted(store.lease(firstRequest('live')));
    await database.admin.query('DELETE FROM snowflake_lease_namespace');
    await database.admin.query('DELETE FROM snowflake_lease');
    const renewal = firstRequest('live again', { claim: { workerId, fencingToken, untilMs } });
    expect(await store.lease(renewal)).toMatchObject({ outcome: 'kept' });
    expect(await store.lease(firstRequest('newcomer'))).toMatchObject({ outcome: 'wait', reason: 'empty' });
  });

  it('searches 20,000 worker IDs by the index', async () => {
    const store = stores.open({ dataSource: database.options, namespace: 'shop', createTable: true });
    const all = { workerCount: 20_000, layout: 'large' };
    await granted(store.lease(firstRequest('first', all)));
    await database.admin.query('DELETE FROM snowflake_lease');
    const endedMs = Date.now() - 100_000;
    for (let first = 0; first < all.workerCount; first += 1000) {
      const rows = Array.from({ length: 1000 }, (_, index) => {
        const workerId = first + index;
        return `('shop', ${workerId}, ${workerId === 12_345 ? endedMs - 1 : endedMs}, '', 1)`;
      });
      await database.admin.query(`INSERT INTO snowflake_lease VALUES ${rows.join(', ')}`);
    }
    await database.admin.query(
      `UPDATE snowflake_lease_namespace SET fresh_worker_id = 20000, grants_after_ms = 0, version_sum = 20000${WRITTEN_BY_US[kind]}`,
    );
    const grant = await granted(store.lease(firstRequest('second', all)));
    expect([grant.workerId, grant.fromMs]).toEqual([12_345, endedMs - 1]);
    const plan = await planOfSearch(all.workerCount);
    expect(plan).toContain('snowflake_lease_by_end');
    expect(plan).not.toMatch(/filesort|TEMP B-TREE|Sort/);
  });

  /** How the database would find the row whose window ended first. */
  async function planOfSearch(workerCount: number): Promise<string> {
    const plans: unknown[] = [];
    const { dialect, tables } = LEASE_TABLES.in(database.options);
    const session = new SqlSession({
      dialect,
      options: database.options,
      connectionName: 'planner',
      callTimeoutMs: 10_000,
    });
    await session.connect();
    session.begin();
    const explain: Query = async (sql, parameters) => {
      plans.push(await session.query(`EXPLAIN ${kind === 'SQLite' ? 'QUERY PLAN ' : ''}${sql}`, parameters));
      return [];
    };
    await new SqlRegistry({ ...session, query: explain }, { tables, dialect, namespace: 'shop' }).nextFree({
      firstWorkerId: 0,
      workerCount,
    });
    await session.close();
    return JSON.stringify(plans);
  }
});
