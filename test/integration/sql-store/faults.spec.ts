import { setTimeout as delay } from 'node:timers/promises';
import { StoreRejectedError, StoreUnavailableError } from 'nestjs-snowflake/standalone';
import type { DataSource, DataSourceOptions, QueryRunner } from 'typeorm';
import { UnreliableNetwork } from '../../support/proxies/unreliable-network.js';
import { LEASE_TABLES } from '../../../libs/snowflake/src/stores/sql/lease-tables.js';
import type { SqlDialect } from '../../../libs/snowflake/src/kit/sql/dialects/dialect.js';
import { SqlRegistry } from '../../../libs/snowflake/src/stores/sql/sql-registry.js';
import { SqlSession } from '../../../libs/snowflake/src/kit/sql/session.js';
import { spawnChild } from '../../support/child.js';
import type { LeaseStore } from '../../../libs/snowflake/src/lease/lease-store.js';
import { waitFor } from '../../support/wait.js';
import { claimOf, firstRequest, granted, type Granted } from '../redis-store/requests.js';
import { type Kind, KINDS, makeDatabase, type TestDatabase } from './support/databases.js';
import { Stores } from './support/stores.js';

const BEGIN: Readonly<Record<Kind, string>> = {
  SQLite: 'BEGIN IMMEDIATE',
  PostgreSQL: 'BEGIN',
  MariaDB: 'BEGIN',
};

const TIMEOUT_MS = 20_000;
/** Where a call must end without an answer. */
const HASTY_MS = 700;
const stores = new Stores();
let database: TestDatabase;

afterEach(async () => {
  await stores.close();
  await database?.remove();
});

/** A lease from a store whose calls are short: a busy machine may miss the end of one, even if it has been executed. */
function served(store: LeaseStore, nonce: string): Promise<Granted> {
  return waitFor(`the lease of ${nonce}`, TIMEOUT_MS, () =>
    granted(store.lease(firstRequest(nonce, { retry: true }))).catch(() => undefined),
  );
}

/** Takes the lock that all calls take, as a process does that is then paused. Returns what ends it. */
async function takeLock(admin: DataSource, kind: Kind): Promise<() => Promise<void>> {
  const runner: QueryRunner = admin.createQueryRunner();
  await runner.query(BEGIN[kind]);
  if (kind !== 'SQLite') await runner.query('SELECT * FROM snowflake_lease_namespace FOR UPDATE');
  return async () => {
    await runner.query('COMMIT');
    await runner.release();
  };
}

describe.each(KINDS)('a call on %s', (kind) => {
  beforeEach(async () => {
    database = await makeDatabase(kind, 'sql-faults');
  });

  it('waits for a lock of another session without blocking the process', async () => {
    const store = stores.open({ dataSource: database.options, namespace: 'shop', createTable: true });
    await granted(store.lease(firstRequest('first')));
    const giveUp = await takeLock(database.admin, kind);
    const call = granted(store.lease(firstRequest('second')));
    expect(await Promise.race([call, delay(300, 'waiting')])).toBe('waiting');
    await giveUp();
    expect((await call).workerId).toBe(1);
  });

  it('ends a call within its bound if the lock is not released, and works again afterwards', async () => {
    const options = { dataSource: database.options, namespace: 'shop', createTable: true };
    await granted(stores.open(options).lease(firstRequest('first')));
    const hasty = stores.open(options, HASTY_MS);
    await served(hasty, 'second');
    const giveUp = await takeLock(database.admin, kind);
    await expect(hasty.lease(firstRequest('third'))).rejects.toThrow(StoreUnavailableError);
    await giveUp();
    const call = { retry: true };
    const patient = stores.open(options);
    expect((await granted(patient.lease(firstRequest('third', call)))).workerId).toBe(2);
    expect((await served(hasty, 'fourth')).workerId).toBe(3);
  });

  it('a call belongs to no transaction of the app', async () => {
    const store = stores.open({ dataSource: database.admin, namespace: 'shop', createTable: true });
    await granted(store.lease(firstRequest('first')));
    // A transaction of SQLite locks the whole file as soon as it writes: this one only reads.
    const undone = database.admin.transaction(async (manager) => {
      await manager.query('SELECT 1');
      await granted(store.lease(firstRequest('second')));
      throw new Error('changed my mind');
    });
    await expect(undone).rejects.toThrow('changed my mind');
    expect((await store.inspect()).rows).toHaveLength(2);
  });

  it('returns what is stored when it cannot be read, and changes nothing', async () => {
    const store = stores.open({ dataSource: database.options, namespace: 'shop', createTable: true });
    const grant = await granted(store.lease(firstRequest('first')));
    await database.admin.query('UPDATE snowflake_lease SET reserved_until_ms = -5');
    const corrupt = { outcome: 'corrupt', field: '0', stored: `-5 ${grant.fencingToken}` };
    expect(await store.lease(firstRequest('second', claimOf(grant)))).toEqual(corrupt);
    await expect(store.release({ ...grant, lastUsedMs: 0 })).rejects.toMatchObject({
      code: 'SNOWFLAKE_STORE_CORRUPT',
      field: '0',
    });
    const { field, stored } = corrupt;
    expect(await store.inspect()).toMatchObject({ rows: [], unreadable: [{ field, stored }] });
    await database.admin.query('UPDATE snowflake_lease_namespace SET fresh_worker_id = NULL');
    expect(await store.lease(firstRequest('third'))).toEqual({
      outcome: 'corrupt',
      field: 'fresh',
      stored: '',
    });
  });

  it('undoes the changes of a process that was killed in the middle of a call', async () => {
    const store = stores.open({ dataSource: database.options, namespace: 'shop', createTable: true });
    await granted(store.lease(firstRequest('first')));
    const place = kind === 'SQLite' ? database.options.database : Reflect.get(database.options, 'url');
    const child = spawnChild(new URL('./children/crasher.ts', import.meta.url), { args: [kind, place] });
    await child.next((message): message is 'begun' => message === 'begun');
    const call = granted(store.lease(firstRequest('second')));
    expect(await Promise.race([call, delay(200, 'waiting')])).toBe('waiting');
    await child.kill('SIGKILL');
    expect((await call).workerId).toBe(1);
    expect((await store.inspect()).rows).toHaveLength(2);
  });

  it('throws the reason when the store is closed', async () => {
    const store = stores.open({ dataSource: database.options, namespace: 'shop', createTable: true });
    await granted(store.lease(firstRequest('first')));
    await store.close();
    await expect(store.lease(firstRequest('second'))).rejects.toThrow('is closed');
  });
});

describe.each(['PostgreSQL', 'MariaDB'] as const)('the connection to %s', (kind) => {
  beforeEach(async () => {
    database = await makeDatabase(kind, 'sql-connection');
  });

  /** The connections to the database but that of the test. */
  function otherConnections(): Promise<{ id: string }[]> {
    return database.admin.query(
      kind === 'PostgreSQL'
        ? 'SELECT pid AS id FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()'
        : 'SELECT id FROM information_schema.processlist WHERE db = database() AND id <> connection_id()',
    );
  }

  /** Ends all of them, and waits until the server has. */
  async function cutConnections(): Promise<number> {
    const { admin } = database;
    const others = await otherConnections();
    for (const { id } of others) {
      if (kind === 'PostgreSQL') await admin.query(`SELECT pg_terminate_backend(${id})`);
      // One that has ended by itself is unknown to the server.
      else await admin.query(`KILL ${id}`).catch(() => undefined);
    }
    await waitFor('the connections to end', TIMEOUT_MS, async () => (await otherConnections()).length === 0);
    return others.length;
  }

  it('makes the next call on a new connection after the old one was cut', async () => {
    const store = stores.open({ dataSource: database.options, namespace: 'shop', createTable: true });
    for (const workerId of [0, 1, 2]) {
      expect((await granted(store.lease(firstRequest(`holder ${workerId}`)))).workerId).toBe(workerId);
      expect(await cutConnections()).toBeGreaterThan(0);
    }
  });

  it('abandons a connection to a silent server, and opens a new one when the server answers again', async () => {
    const url = new URL((database.options as { url: string }).url);
    const proxy = await UnreliableNetwork.start(Number(url.port));
    try {
      url.port = String(proxy.port);
      const dataSource = { ...database.options, url: url.href } as DataSourceOptions;
      const store = stores.open({ dataSource, namespace: 'shop', createTable: true }, HASTY_MS);
      await served(store, 'first');
      proxy.swallow();
      await expect(store.lease(firstRequest('second'))).rejects.toThrow(`no answer within ${HASTY_MS} ms`);
      await expect(store.lease(firstRequest('second'))).rejects.toThrow(StoreUnavailableError);
      proxy.heal();
      expect((await served(store, 'second')).workerId).toBe(1);
    } finally {
      await proxy.close();
    }
  });

  it('rejects a wrong password or database for good, with the remedy', async () => {
    const url = new URL((database.options as { url: string }).url);
    if (kind === 'MariaDB') url.password = 'wrong';
    else url.pathname = '/nowhere';
    const dataSource = { ...database.options, url: url.href } as DataSourceOptions;
    const refusal = stores.open({ dataSource, namespace: 'shop' }).lease(firstRequest('first'));
    await expect(refusal).rejects.toThrow(StoreRejectedError);
    await expect(refusal).rejects.toThrow(
      kind === 'MariaDB' ? /Correct the user name/ : /Create the database/,
    );
  });

  it('leases on the master where there are replicas', async () => {
    const { url, ...rest } = database.options as DataSourceOptions & { url: string };
    const nobody = new URL(url);
    nobody.port = '1';
    const replication = { master: { url }, slaves: [{ url: nobody.href }] };
    const store = stores.open({
      dataSource: { ...rest, replication } as DataSourceOptions,
      namespace: 'shop',
      createTable: true,
    });
    expect((await granted(store.lease(firstRequest('first')))).workerId).toBe(0);
  });

  it('throws a retryable error when no server listens', async () => {
    const url = new URL((database.options as { url: string }).url);
    url.port = '1';
    const dataSource = { ...database.options, url: url.href } as DataSourceOptions;
    const call = stores.open({ dataSource, namespace: 'shop' }).lease(firstRequest('first'));
    await expect(call).rejects.toMatchObject({ code: 'SNOWFLAKE_STORE_UNAVAILABLE', retryable: true });
  });
});

describe.each(['PostgreSQL', 'MariaDB'] as const)('a process that is paused within a lease on %s', (kind) => {
  const PAUSED_CALL_TIMEOUT_MS = 1000;

  /** Takes the lock as a call does, and then does nothing. A busy machine may pause it too soon. */
  function pauseWithin(dialect: SqlDialect): Promise<SqlSession> {
    const { options } = database;
    const settings = { dialect, options, connectionName: 'paused', callTimeoutMs: PAUSED_CALL_TIMEOUT_MS };
    return waitFor('a session with the lock', TIMEOUT_MS, async () => {
      const session = new SqlSession(settings);
      try {
        await session.connect();
        session.begin();
        const place = LEASE_TABLES.in(options, undefined, dialect);
        await new SqlRegistry(session, { ...place, namespace: 'shop' }).lock();
        return session;
      } catch {
        session.abandon();
        return undefined;
      }
    });
  }

  beforeEach(async () => {
    database = await makeDatabase(kind, 'sql-paused');
    const store = stores.open({ dataSource: database.options, namespace: 'shop', createTable: true });
    await granted(store.lease(firstRequest('first')));
  });

  it('releases the lock of a paused process, so that the others continue', async () => {
    const paused = await pauseWithin(LEASE_TABLES.in(database.options).dialect);
    const store = stores.open({ dataSource: database.options, namespace: 'shop' });
    expect((await granted(store.lease(firstRequest('second')))).workerId).toBe(1);
    await expect(paused.finish(async () => undefined)).rejects.toThrow();
    paused.abandon();
  });

  it('stops all others without the timeout for idle transactions (control)', async () => {
    const { dialect } = LEASE_TABLES.in(database.options);
    const paused = await pauseWithin({ ...dialect, begin: () => ['START TRANSACTION'] });
    const store = stores.open(
      { dataSource: database.options, namespace: 'shop' },
      3 * PAUSED_CALL_TIMEOUT_MS,
    );
    await expect(store.lease(firstRequest('second'))).rejects.toThrow(StoreUnavailableError);
    paused.abandon();
  });
});

describe('a PostgreSQL database that isolates transactions strictly by default', () => {
  it.each(['repeatable read', 'serializable'])(
    'leases where transactions are %s by default',
    async (level) => {
      database = await makeDatabase('PostgreSQL', 'sql-isolation');
      const [{ name }] = await database.admin.query('SELECT current_database() AS name');
      await database.admin.query(`ALTER DATABASE ${name} SET default_transaction_isolation = '${level}'`);
      const crowd = Array.from({ length: 6 }, () =>
        stores.open({ dataSource: database.options, namespace: 'shop', createTable: true }),
      );
      const grants = await Promise.all(
        crowd.map((store, index) => granted(store.lease(firstRequest(`holder ${index}`)))),
      );
      expect(new Set(grants.map(({ workerId }) => workerId)).size).toBe(crowd.length);
    },
  );
});
