import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { duplicatesIn, firstDescent } from '../../../lease/support/id-checks.js';
import { ReplicatedDatabase } from '../../../integration/sql-store/support/replicated-database.js';
import { cleanUpAfterEach } from '../../../support/clean-up.js';
import { TcpProxy } from '../../../support/proxies/tcp-proxy.js';
import { serverAccount } from '../../../support/servers/account.js';
import { requirePostgresFolder } from '../../../support/servers/binaries.js';
import { type DatabaseServer, DURABLE_SETTINGS, startPostgres } from '../../../support/servers/index.js';
import { untilSuccess, waitFor } from '../../../support/wait.js';
import {
  App,
  defaultStatements,
  execute,
  install,
  LEASE,
  LONG_LEASE,
  Session,
  onClock,
  pausedOnClock,
  unchanged,
  type Variant,
  withoutHistory,
  withoutLock,
  withoutRecovery,
  withoutReservation,
  withoutWindow,
  WORK,
} from './support/database-ids.js';

const TIMEOUT_MS = 240_000;
/** A session has seen each of these IDs after a commit, or within a transaction that the crash has undone. */
const SETTINGS = { ...DURABLE_SETTINGS.postgres, synchronous_commit: 'on', max_wal_senders: '4' };
/** By then two servers with the same right have generated the same ID many times. */
const REPEATS_WITHIN_MS = 90_000;

const cleanUp = cleanUpAfterEach();

async function startServer(more: Readonly<Record<string, string>> = {}): Promise<DatabaseServer> {
  const server = await startPostgres({ settings: { ...SETTINGS, ...more } });
  cleanUp(() => server.stop());
  return server;
}

function idsOf(...all: readonly { readonly ids: readonly bigint[] }[]): readonly (readonly bigint[])[] {
  return all.map(({ ids }) => ids);
}

/** Resolves to the duplicates as soon as there are some. */
function duplicatesSeen(...all: readonly { readonly ids: readonly bigint[] }[]): Promise<bigint[]> {
  return waitFor('a duplicate', REPEATS_WITHIN_MS, () => {
    const duplicates = duplicatesIn(idsOf(...all));
    return duplicates.length > 0 && duplicates;
  });
}

describe('IDs made by PostgreSQL [promise: unique]', () => {
  it(
    'never repeat and always ascend through rollbacks, timeouts and crashes of a backend and of the server, next to the IDs of the app',
    async () => {
      const server = await startServer();
      await install(server.url);
      const app = await App.start(cleanUp, server.url);
      const sessions = [WORK.insert, WORK.insert, WORK.rollback, WORK.timeout].map((work) =>
        Session.start(cleanUp, server.url, work),
      );
      const allIssue = () => Promise.all(sessions.slice(0, 3).map((session) => session.issues()));
      await allIssue();
      process.kill(sessions[0]!.backend, 'SIGKILL');
      await allIssue();
      process.kill(server.pid, 'SIGKILL');
      // The sessions end a moment after their server.
      await untilSuccess(60_000, () => server.restart());
      await allIssue();
      await server.restart();
      await allIssue();
      await Promise.all([app, ...sessions].map((each) => each.stop()));
      expect(duplicatesIn(idsOf(app, ...sessions))).toEqual([]);
      expect(sessions.map(({ ids }) => firstDescent(ids))).toEqual([-1, -1, -1, -1]);
    },
    TIMEOUT_MS,
  );

  async function serverWithClock(variant: Variant, settings = {}) {
    const server = await startServer(settings);
    await execute(server.url, 'CREATE TABLE clock (ahead interval)', "INSERT INTO clock VALUES ('0')");
    await install(server.url, variant);
    return server;
  }

  async function sessionsOnClock(variant: Variant) {
    const server = await serverWithClock(variant);
    const app = await App.start(cleanUp, server.url);
    const sessions = [WORK.insert, WORK.insert, WORK.rollback].map((work) =>
      Session.start(cleanUp, server.url, work),
    );
    const step = (ahead: string) => execute(server.url, `UPDATE clock SET ahead = '${ahead}'`);
    return { app, sessions, step };
  }

  it(
    'never repeat and always ascend while the clock of the server steps back and forth and sessions pause as they open a block',
    async () => {
      const { app, sessions, step } = await sessionsOnClock(pausedOnClock);
      for (const ahead of ['0', '2s', '-2s', '1s', '-1s', '3s', '-5s', '0']) {
        await step(ahead);
        await Promise.all(sessions.map((session) => session.issues()));
      }
      await Promise.all([app, ...sessions].map((each) => each.stop()));
      expect(duplicatesIn(idsOf(app, ...sessions))).toEqual([]);
      expect(sessions.map(({ ids }) => firstDescent(ids))).toEqual([-1, -1, -1]);
    },
    TIMEOUT_MS,
  );

  it(
    'repeat where sessions open blocks without a lock (control)',
    async () => {
      const { sessions } = await sessionsOnClock(withoutLock);
      expect(await duplicatesSeen(...sessions)).not.toEqual([]);
    },
    TIMEOUT_MS,
  );

  /** IDs are ahead of a clock that went back, and a transaction that has seen the latest ones is undone by a crash under the same server. */
  async function recoveredWithin(variant: Variant) {
    const server = await serverWithClock(variant, { wal_writer_delay: '10s' });
    const app = await App.start(cleanUp, server.url, LONG_LEASE);
    const first = Session.start(cleanUp, server.url);
    await first.issues(1);
    await Promise.all([app.stop(), first.stop()]);
    await execute(server.url, "UPDATE clock SET ahead = '-20s'");
    const client = new pg.Client({ connectionString: server.url });
    client.on('error', () => undefined);
    await client.connect();
    const [{ pid }] = (await client.query('SELECT pg_backend_pid() AS pid')).rows;
    await client.query('BEGIN');
    const { rows } = await client.query('SELECT snowflake.id() AS id FROM generate_series(1, 2000)');
    process.kill(pid, 'SIGKILL');
    const undone = { ids: rows.map(({ id }) => BigInt(id)) };
    return { server, undone, recovered: Session.start(cleanUp, server.url) };
  }

  it(
    'never repeat those of a transaction that a crash has undone, while the clock is behind',
    async () => {
      const { server, undone, recovered } = await recoveredWithin(onClock);
      await recovered.isRefused();
      expect(recovered.ids).toEqual([]);
      await App.start(cleanUp, server.url, LONG_LEASE);
      await recovered.issues();
      expect(duplicatesIn(idsOf(undone, recovered))).toEqual([]);
      expect(recovered.ids[0]! > undone.ids.at(-1)!).toBe(true);
    },
    TIMEOUT_MS,
  );

  it(
    'repeat them if the recovery is not noticed (control)',
    async () => {
      const { undone, recovered } = await recoveredWithin(withoutRecovery);
      expect(await duplicatesSeen(undone, recovered)).not.toEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    'are a million in one statement',
    async () => {
      const server = await startServer();
      await install(server.url);
      await App.start(cleanUp, server.url);
      await Session.start(cleanUp, server.url).issues(1);
      const [row] = await execute(
        server.url,
        'INSERT INTO orders (n) SELECT n FROM generate_series(1, 1000000) n',
        'SELECT count(*) >= 1000000 AS are_all FROM orders',
      );
      expect(row).toEqual({ are_all: true });
    },
    TIMEOUT_MS,
  );
});

describe('a promoted replica that lags, while the old primary lives on [promise: unique]', () => {
  async function promote(variant: Variant, lease = LEASE) {
    const pair = await ReplicatedDatabase.start('PostgreSQL');
    cleanUp(() => pair.stop());
    await install(pair.primary.url, variant);
    const proxy = await TcpProxy.start(pair.primary.port);
    cleanUp(() => proxy.close());
    const address = new URL(pair.primary.url);
    address.port = String(proxy.port);
    const app = await App.start(cleanUp, address.href, lease);
    const old = Session.start(cleanUp, pair.primary.url);
    await old.issues();
    await pair.untilReplicated('SELECT worker_id FROM snowflake.id_reservation');
    await pair.cutOff();
    const end = 'SELECT max(reserved_until_ms) AS until FROM snowflake_lease';
    const [replicated] = await pair.query(pair.replica, end);
    await waitFor('a renewal that the replica misses', TIMEOUT_MS, async () => {
      const [present] = await pair.query(pair.primary, end);
      return Number(present?.['until']) > Number(replicated?.['until']);
    });
    await pair.query(pair.replica, 'SELECT pg_promote(true, 30)');
    const promoted = Session.start(cleanUp, pair.replica.url);
    return { app, old, promoted, move: () => proxy.leadTo(pair.replica.port) };
  }

  it(
    'begins above every ID of the old primary, which stops by itself',
    async () => {
      const { app, old, promoted, move } = await promote(unchanged);
      await promoted.isRefused();
      move();
      await promoted.issues();
      await old.isRefused();
      await promoted.issues(5000);
      expect(duplicatesIn(idsOf(app, old, promoted))).toEqual([]);
      expect(promoted.ids[0]! > old.ids.at(-1)!).toBe(true);
    },
    TIMEOUT_MS,
  );

  it(
    'repeats IDs without a comparison of the timeline and the rest of the history (control)',
    async () => {
      const { old, promoted } = await promote(withoutHistory, LONG_LEASE);
      expect(await duplicatesSeen(old, promoted)).not.toEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    'repeats IDs if the window of the old primary never ends (control)',
    async () => {
      const { old, promoted, move } = await promote(withoutWindow);
      move();
      await promoted.issues();
      expect(await duplicatesSeen(old, promoted)).not.toEqual([]);
    },
    TIMEOUT_MS,
  );
});

describe('a copy of a database that generates IDs [promise: unique]', () => {
  /** A copy of the files, started as a server of its own. */
  async function clone(variant: Variant) {
    const server = await startServer();
    await install(server.url, variant);
    const app = await App.start(cleanUp, server.url, LONG_LEASE);
    const original = Session.start(cleanUp, server.url);
    await original.issues();
    const copy = await startPostgres({ settings: SETTINGS, replicaOf: server });
    cleanUp(() => copy.stop());
    await copy.restart(() => rmSync(join(copy.dataDirectory, 'standby.signal')));
    return { app, original, cloned: Session.start(cleanUp, copy.url) };
  }

  it(
    'is refused on a clone of the files that was never promoted',
    async () => {
      const { app, original, cloned } = await clone(unchanged);
      await cloned.isRefused();
      await original.issues();
      expect(cloned.ids).toEqual([]);
      expect(duplicatesIn(idsOf(app, original))).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    'repeats IDs without a comparison of the history (control)',
    async () => {
      const { original, cloned } = await clone(withoutHistory);
      expect(await duplicatesSeen(original, cloned)).not.toEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    'is refused in a database made from it as a template, and when the copy has taken its name',
    async () => {
      const server = await startServer();
      const shop = await server.createDatabase('shop');
      await install(shop);
      const app = await App.start(cleanUp, shop, LONG_LEASE);
      const original = Session.start(cleanUp, shop);
      await original.issues();
      await Promise.all([app.stop(), original.stop()]);
      await untilSuccess(30_000, () => execute(server.url, 'CREATE DATABASE copy TEMPLATE shop'));
      const copied = Session.start(cleanUp, shop.replace(/shop$/, 'copy'));
      const goesOn = Session.start(cleanUp, shop);
      await copied.isRefused();
      expect(copied.ids).toEqual([]);
      await Promise.all([copied.stop(), goesOn.stop()]);
      await untilSuccess(30_000, () => execute(server.url, 'ALTER DATABASE shop RENAME TO former'));
      await untilSuccess(30_000, () => execute(server.url, 'ALTER DATABASE copy RENAME TO shop'));
      const renamed = Session.start(cleanUp, shop);
      await renamed.isRefused();
      expect(renamed.ids).toEqual([]);
    },
    TIMEOUT_MS,
  );

  async function loadElsewhere(variant: Variant) {
    const server = await startServer();
    await install(server.url, variant);
    const app = await App.start(cleanUp, server.url, LONG_LEASE);
    const original = Session.start(cleanUp, server.url);
    await original.issues();
    const other = await startServer();
    await load(other.url, await dump(server));
    return { server, app, original, other };
  }

  it(
    'is refused where a dump is loaded, on another server and in another database',
    async () => {
      const { server, app, original, other } = await loadElsewhere(unchanged);
      const second = await server.createDatabase('second');
      await load(second, await dump(server));
      const sessions = [other.url, second].map((url) => Session.start(cleanUp, url));
      for (const session of sessions) await session.isRefused();
      await original.issues();
      expect(idsOf(...sessions)).toEqual([[], []]);
      expect(duplicatesIn(idsOf(app, original))).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    'repeats IDs where a dump is loaded if nothing is reserved (control)',
    async () => {
      const { original, other } = await loadElsewhere(withoutReservation);
      const copied = Session.start(cleanUp, other.url);
      expect(await duplicatesSeen(original, copied)).not.toEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    'takes another worker ID when an older dump is loaded in its place',
    async () => {
      const server = await startServer();
      await install(server.url);
      const app = await App.start(cleanUp, server.url);
      const session = Session.start(cleanUp, server.url);
      await session.issues();
      const older = await dump(server, '--clean', '--if-exists');
      await session.issues();
      await load(server.url, older);
      await session.issues();
      await Promise.all([app.stop(), session.stop()]);
      expect(duplicatesIn(idsOf(app, session))).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    'is refused on a subscriber of logical replication, which has a copy of the schema and gets the rows of leases',
    async () => {
      const publisher = await startServer({ wal_level: 'logical' });
      await install(publisher.url);
      const app = await App.start(cleanUp, publisher.url, LONG_LEASE);
      const original = Session.start(cleanUp, publisher.url);
      await original.issues();
      const subscriber = await startServer();
      await load(subscriber.url, await dump(publisher, '--schema-only'));
      await execute(publisher.url, 'CREATE PUBLICATION everything FOR ALL TABLES');
      const from = `host=127.0.0.1 port=${publisher.port} user=postgres dbname=postgres`;
      await execute(subscriber.url, `CREATE SUBSCRIPTION it CONNECTION '${from}' PUBLICATION everything`);
      await waitFor('the rows of leases', TIMEOUT_MS, async () => {
        const rows = await execute(subscriber.url, 'SELECT 1 FROM snowflake_lease, snowflake.id_reservation');
        return rows.length > 0;
      });
      await execute(subscriber.url, 'INSERT INTO snowflake.id_uncrashed VALUES (true)');
      // The publisher can replace what it publishes.
      await execute(publisher.url, 'DELETE FROM snowflake.id_uncrashed');
      await original.isRefused();
      await original.issues();
      const copied = Session.start(cleanUp, subscriber.url, ['SELECT snowflake.id() AS id']);
      await copied.isRefused();
      expect(copied.ids).toEqual([]);
      expect(duplicatesIn(idsOf(app, original))).toEqual([]);
      await execute(subscriber.url, 'DROP SUBSCRIPTION it');
    },
    TIMEOUT_MS,
  );
});

describe('the right to generate IDs [promise: unique]', () => {
  it(
    'survives that another process gets the worker ID, because the database then leases another one',
    async () => {
      const server = await startServer();
      await install(server.url);
      const app = await App.start(cleanUp, server.url);
      const session = Session.start(cleanUp, server.url);
      await session.issues();
      await execute(
        server.url,
        "UPDATE snowflake_lease SET fencing_token = 'another:process@0' FROM snowflake.id_reservation r" +
          ' WHERE snowflake_lease.worker_id = r.worker_id',
      );
      await session.isRefused();
      await session.issues();
      const workers = new Set(session.ids.map((id) => (id >> 12n) & 1023n));
      expect(workers.size).toBe(2);
      expect(duplicatesIn(idsOf(app, session))).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    'needs only USAGE of a user who inserts rows, and lets nobody but the owner set the sequences',
    async () => {
      const server = await startServer();
      await install(server.url);
      await App.start(cleanUp, server.url);
      await Session.start(cleanUp, server.url).issues(1);
      await execute(server.url, 'CREATE ROLE clerk LOGIN', 'GRANT INSERT ON orders TO clerk');
      const clerk = server.url.replace('postgres@', 'clerk@');
      await execute(clerk, 'INSERT INTO orders (n) VALUES (1)');
      for (const sequence of ['id_state', 'id_block'])
        await expect(execute(clerk, `SELECT setval('snowflake.${sequence}', 1)`)).rejects.toThrow(/denied/);
      await expect(execute(clerk, 'SELECT * FROM snowflake.id_reservation')).rejects.toThrow(/denied/);
      await expect(execute(clerk, 'UPDATE snowflake_lease SET version = 0')).rejects.toThrow(/denied/);
      // A table of the caller is not taken for that of the leases.
      await execute(
        clerk,
        'CREATE TEMPORARY TABLE snowflake_lease (worker_id int)',
        'INSERT INTO orders (n) VALUES (1)',
      );
    },
    TIMEOUT_MS,
  );

  it(
    'is refused at once on a server that does not show its history',
    async () => {
      const server = await startServer();
      const managed = await server.createDatabase('managed');
      await execute(
        managed,
        'REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC',
        'CREATE ROLE tenant LOGIN',
        'CREATE TABLE snowflake_lease_namespace (namespace text)',
      );
      const [refusal = ''] = await defaultStatements();
      await expect(execute(managed.replace('postgres@', 'tenant@'), refusal)).rejects.toMatchObject({
        code: '0A000',
      });
    },
    TIMEOUT_MS,
  );
});

async function dump({ url, dataDirectory }: DatabaseServer, ...options: readonly string[]): Promise<string> {
  const file = join(dataDirectory, '..', 'dump.sql');
  await run('pg_dump', '--no-owner', ...options, '-f', file, url);
  return file;
}

/** Loads a dump in one transaction. A deadlock with a process that renews meanwhile undoes it, and then it is loaded again. */
async function load(url: string, file: string): Promise<void> {
  const isLoaded = await run('psql', '-q', '-v', 'ON_ERROR_STOP=1', '-1', '-f', file, url).then(
    () => true,
    (error: Error) => {
      if (error.message.includes('deadlock detected')) return false;
      throw error;
    },
  );
  if (!isLoaded) await load(url, file);
}

async function run(program: string, ...options: readonly string[]): Promise<void> {
  const binary = join(requirePostgresFolder(serverAccount('postgres')), program);
  await promisify(execFile)(binary, options, { timeout: TIMEOUT_MS });
}
