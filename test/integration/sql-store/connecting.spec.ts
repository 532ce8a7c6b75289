import type { DataSourceOptions } from 'typeorm';
import { firstRequest, granted } from '../redis-store/requests.js';
import { waitFor } from '../../support/wait.js';
import { makeDatabase, type TestDatabase } from './support/databases.js';
import { Pooler } from './support/pooler.js';
import { Stores } from './support/stores.js';

const CALL_TIMEOUT_MS = 1000;
const CALLS = 3;
/** With the calls, less than the 10 s after which MariaDB itself ends a connection that says nothing. */
const WAIT_MS = 6_500;
const PATIENCE_MS = 30_000;

const LOCK_TABLE = {
  PostgreSQL: ['BEGIN', 'LOCK TABLE snowflake_lease'],
  MariaDB: ['LOCK TABLES snowflake_lease WRITE'],
} as const;

/** Ways of an app to say that its own connections may take as long as they like. */
const UNBOUNDED = {
  PostgreSQL: { connectTimeoutMS: 0, extra: { connectionTimeoutMillis: 0 } },
  MariaDB: { connectTimeout: 0, extra: { connectTimeout: 0 } },
} as const;

describe.each(['PostgreSQL', 'MariaDB'] as const)('a connection to %s that is still being made', (kind) => {
  const stores = new Stores();
  let database: TestDatabase;
  let pooler: Pooler;
  let behindPooler: DataSourceOptions;

  beforeEach(async () => {
    database = await makeDatabase(kind, 'sql-connecting');
    const url = new URL((database.options as { url: string }).url);
    pooler = await Pooler.start(Number(url.port));
    url.port = String(pooler.port);
    behindPooler = { ...database.options, url: url.href } as DataSourceOptions;
  }, 120_000);
  afterEach(async () => {
    await stores.close();
    await pooler?.close();
    await database?.remove();
  });

  async function expectTimeouts(calls: number, store: ReturnType<Stores['open']>): Promise<void> {
    for (let call = 1; call <= calls; call += 1) {
      await expect(store.lease(firstRequest('late'))).rejects.toMatchObject({
        code: 'SNOWFLAKE_STORE_UNAVAILABLE',
      });
    }
  }

  it('ends with its call when a pooler greets and then says no more', async () => {
    const options = { dataSource: behindPooler, namespace: 'shop', createTable: true };
    const store = stores.open(options, CALL_TIMEOUT_MS);
    pooler.holdStatements();
    await expectTimeouts(CALLS, store);
    // A busy machine may end a call before it has connected.
    expect(pooler.accepted).toBeGreaterThan(0);
    expect(pooler.accepted).toBeLessThanOrEqual(CALLS);
    await waitFor('the connections to end', WAIT_MS, () => pooler.openConnections === 0);
  });

  it('ends with the store', async () => {
    const options = { dataSource: behindPooler, namespace: 'shop', createTable: true };
    const store = stores.open(options, 10 * WAIT_MS);
    pooler.holdStatements();
    const refused = expect(store.lease(firstRequest('late'))).rejects.toThrow();
    await waitFor('a connection', PATIENCE_MS, () => pooler.openConnections === 1);
    await store.close();
    await waitFor('the connection to end', WAIT_MS, () => pooler.openConnections === 0);
    await refused;
  });

  it('ends in time when nobody greets, though the app waits for ever', async () => {
    const dataSource = { ...behindPooler, ...UNBOUNDED[kind] } as DataSourceOptions;
    const store = stores.open({ dataSource, namespace: 'shop' }, CALL_TIMEOUT_MS);
    pooler.holdEverything();
    await expectTimeouts(1, store);
    await waitFor('the connection to end', WAIT_MS, () => pooler.openConnections === 0);
  });

  it('makes the server wait no longer than the call for a table that somebody has locked', async () => {
    const options = { dataSource: database.options, namespace: 'shop', createTable: true };
    await granted(stores.open(options).lease(firstRequest('first')));
    const runner = database.desk.createQueryRunner();
    for (const statement of LOCK_TABLE[kind]) await runner.query(statement);
    try {
      await expectTimeouts(CALLS, stores.open(options, CALL_TIMEOUT_MS));
      const waiting =
        kind === 'PostgreSQL'
          ? `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
          : `SELECT 1 FROM information_schema.processlist WHERE db = database() AND state LIKE 'Waiting%'`;
      await waitFor('the server to wait no more', PATIENCE_MS, async () => {
        const rows: unknown[] = await database.desk.query(waiting);
        return rows.length === 0;
      });
    } finally {
      await runner.query(kind === 'PostgreSQL' ? 'ROLLBACK' : 'UNLOCK TABLES');
      await runner.release();
    }
  });
});

describe.each(['PostgreSQL', 'MariaDB'] as const)('under replication, a store on %s', (kind) => {
  it('leases where TypeORM writes, whatever else the DataSource names', async () => {
    const stores = new Stores();
    const [meant, other] = [await makeDatabase(kind, 'sql-master'), await makeDatabase(kind, 'sql-other')];
    try {
      const {
        hostname: host,
        port,
        username,
        password,
        pathname,
      } = new URL((meant.options as { url: string }).url);
      const master = { host, port: Number(port), username, password, database: pathname.slice(1) };
      const dataSource = { ...other.options, replication: { master, slaves: [] } } as DataSourceOptions;
      const store = stores.open({ dataSource, namespace: 'shop', createTable: true });
      await granted(store.lease(firstRequest('first')));
      expect(await meant.desk.query('SELECT worker_id FROM snowflake_lease')).toEqual([{ worker_id: 0 }]);
      await expect(other.desk.query('SELECT worker_id FROM snowflake_lease')).rejects.toThrow();
    } finally {
      await stores.close();
      await meant.remove();
      await other.remove();
    }
  });
});

it('a pooler that keeps no transaction together is refused at once, with the remedy', async () => {
  const stores = new Stores();
  const database = await makeDatabase('PostgreSQL', 'sql-statement-pooling');
  const url = new URL((database.options as { url: string }).url);
  const pooler = await Pooler.start(Number(url.port));
  url.port = String(pooler.port);
  pooler.refuseTransactions();
  try {
    const dataSource: DataSourceOptions = { type: 'postgres', url: url.href };
    const store = stores.open({ dataSource, namespace: 'shop', createTable: true });
    await expect(store.lease(firstRequest('first'))).rejects.toMatchObject({
      code: 'SNOWFLAKE_STORE_REJECTED',
      retryable: false,
      message: expect.stringMatching(/statement pooling mode\. .*pool_mode/),
    });
  } finally {
    await stores.close();
    await pooler.close();
    await database.remove();
  }
});
