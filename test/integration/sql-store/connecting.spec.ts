import { systemClock } from 'nestjs-snowflake/core';
import { StoreUnavailableError } from 'nestjs-snowflake/standalone';
import type { DataSourceOptions } from 'typeorm';
import { deadlineIn } from '../../../libs/snowflake/src/kit/call-deadline.js';
import type { LeaseStore } from '../../../libs/snowflake/src/lease/lease-store.js';
import { waitFor } from '../../support/wait.js';
import { firstRequest, type Granted, granted } from '../redis-store/requests.js';
import { makeDatabase, type TestDatabase } from './support/databases.js';
import { Pooler } from './support/pooler.js';
import { Stores } from './support/stores.js';

const CALL_TIMEOUT_MS = 700;
const CALLS = 2;
/** With the calls, less than the 10 s after which MariaDB itself ends a connection that says nothing. */
const WAIT_MS = 6_500;
const TIMEOUT_MS = 20_000;

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
  });
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

  it('ends a connection with its call when a pooler sends a greeting and then nothing', async () => {
    const options = { dataSource: behindPooler, namespace: 'shop', createTable: true };
    const store = stores.open(options, CALL_TIMEOUT_MS);
    pooler.holdStatements();
    let calls = 0;
    // A busy machine may end a call before it has connected.
    await waitFor('a call that has connected', TIMEOUT_MS, async () => {
      calls += CALLS;
      await expectTimeouts(CALLS, store);
      return pooler.accepted > 0;
    });
    expect(pooler.accepted).toBeLessThanOrEqual(calls);
    await waitFor('the connections to end', WAIT_MS, () => pooler.openConnections === 0);
  });

  it('ends a connection that is still being made when the store closes', async () => {
    const options = { dataSource: behindPooler, namespace: 'shop', createTable: true };
    const store = stores.open(options, 10 * WAIT_MS);
    pooler.holdStatements();
    const refused = expect(store.lease(firstRequest('late'))).rejects.toThrow();
    await waitFor('a connection', TIMEOUT_MS, () => pooler.openConnections === 1);
    await store.close();
    await waitFor('the connection to end', WAIT_MS, () => pooler.openConnections === 0);
    await refused;
  });

  it('ends a connection in time when no server answers, although the app sets no timeout', async () => {
    const dataSource = { ...behindPooler, ...UNBOUNDED[kind] } as DataSourceOptions;
    const store = stores.open({ dataSource, namespace: 'shop' }, CALL_TIMEOUT_MS);
    pooler.holdEverything();
    await expectTimeouts(1, store);
    await waitFor('the connection to end', WAIT_MS, () => pooler.openConnections === 0);
  });

  it('limits the wait of the server for a locked table to the timeout of the call', async () => {
    const options = { dataSource: database.options, namespace: 'shop', createTable: true };
    await granted(stores.open(options).lease(firstRequest('first')));
    const runner = database.admin.createQueryRunner();
    for (const statement of LOCK_TABLE[kind]) await runner.query(statement);
    try {
      await expectTimeouts(CALLS, stores.open(options, CALL_TIMEOUT_MS));
      const waiting =
        kind === 'PostgreSQL'
          ? `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
          : `SELECT 1 FROM information_schema.processlist WHERE db = database() AND state LIKE 'Waiting%'`;
      await waitFor('the server to wait no more', TIMEOUT_MS, async () => {
        const rows: unknown[] = await database.admin.query(waiting);
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
      expect(await meant.admin.query('SELECT worker_id FROM snowflake_lease')).toEqual([{ worker_id: 0 }]);
      await expect(other.admin.query('SELECT worker_id FROM snowflake_lease')).rejects.toThrow();
    } finally {
      await stores.close();
      await meant.remove();
      await other.remove();
    }
  });
});

it('rejects a pooler that keeps no transaction together at once, with the remedy', async () => {
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

const ASKING_TIMEOUT_MS = 300;

describe('an app that returns the database from a function', () => {
  const stores = new Stores();
  let database: TestDatabase;
  let asked: number;
  /** Ends the first question, which the app leaves open. */
  let refuseFirst: (reason: Error) => void;

  beforeEach(async () => {
    database = await makeDatabase('SQLite', 'asked');
    asked = 0;
  });
  afterEach(async () => {
    await stores.close();
    await database.remove();
  });

  /** A store whose first call has waited for the app in vain. */
  async function openInVain(): Promise<ReturnType<Stores['open']>> {
    const first = new Promise<DataSourceOptions>((_, reject) => (refuseFirst = reject));
    const dataSource = (): Promise<DataSourceOptions> => {
      asked += 1;
      return asked === 1 ? first : Promise.resolve(database.options);
    };
    const store = stores.open({ dataSource, namespace: 'shop', createTable: true }, ASKING_TIMEOUT_MS);
    await expect(store.lease(firstRequest('first'))).rejects.toThrow(StoreUnavailableError);
    return store;
  }

  /** The store's own bound is for the first call. */
  const grantOf = (store: LeaseStore, nonce: string): Promise<Granted> =>
    granted(store.lease(firstRequest(nonce), deadlineIn(systemClock, TIMEOUT_MS)));

  it('requests the database again after reconnect() if the app never answered', async () => {
    const store = await openInVain();
    await store.reconnect?.();
    expect((await grantOf(store, 'second')).workerId).toBe(0);
    expect(asked).toBe(2);
  });

  it('requests the database again after the store was closed and opened if the app never answered', async () => {
    const store = await openInVain();
    await store.close();
    await store.open?.({ callTimeoutMs: ASKING_TIMEOUT_MS });
    expect((await grantOf(store, 'second')).workerId).toBe(0);
  });

  it('makes no third request when the first one fails after all', async () => {
    const store = await openInVain();
    await store.reconnect?.();
    await grantOf(store, 'second');
    refuseFirst(new Error('too late'));
    await grantOf(store, 'third');
    await grantOf(store, 'fourth');
    expect(asked).toBe(2);
  });
});
