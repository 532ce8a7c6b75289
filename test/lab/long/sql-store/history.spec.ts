import { execFile } from 'node:child_process';
import { copyFileSync, cpSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { CreateSnowflakeLeaseTables1767225600000 } from 'nestjs-snowflake/typeorm';
import { DataSource, type DataSourceOptions } from 'typeorm';
import type { LeaseReply } from '../../../../libs/snowflake/src/lease/lease-store.js';
import { serverAccount } from '../../../support/servers/account.js';
import {
  type DatabaseServer,
  freePort,
  startMariaDb,
  startPostgres,
} from '../../../support/servers/index.js';
import { waitFor } from '../../../support/wait.js';
import { claimOf, firstRequest, granted, request } from '../../../integration/redis-store/requests.js';
import { makeDatabase, sqliteOptions } from '../../../integration/sql-store/support/databases.js';
import { execute, startDatabaseServer } from '../../../integration/sql-store/support/database-servers.js';
import { dumpTables, loadDump } from './support/dumps.js';
import {
  REPLICATED_KINDS,
  ReplicatedDatabase,
  type ReplicatedKind,
} from '../../../integration/sql-store/support/replicated-database.js';
import { Stores, withoutAskingForSettings } from '../../../integration/sql-store/support/stores.js';
import { cleanUpAfterEach, temporaryFolder } from '../../../support/clean-up.js';

const TEST_WITHIN_MS = 120_000;
const TABLES = ['snowflake_lease', 'snowflake_lease_namespace'];
const stores = new Stores();

// Stores close before their servers stop.
afterEach(() => stores.close(), TEST_WITHIN_MS);
const cleanUp = cleanUpAfterEach();

describe.each(REPLICATED_KINDS)('the history of %s [promise: after-loss]', (kind) => {
  async function backUp(server: DatabaseServer): Promise<string> {
    const backup = `${server.dataDirectory}-backup`;
    await server.restart(() => cpSync(server.dataDirectory, backup, { recursive: true }));
    return backup;
  }

  async function putFilesBack(server: DatabaseServer, backup: string): Promise<void> {
    await server.restart(async () => {
      rmSync(server.dataDirectory, { recursive: true });
      renameSync(backup, server.dataDirectory);
      const { uid, gid } = serverAccount(kind === 'PostgreSQL' ? 'postgres' : 'mysql');
      if (uid !== undefined)
        await promisify(execFile)('chown', ['-R', `${uid}:${gid}`, server.dataDirectory]);
    });
  }

  it(
    'stays the same over connections, and while the app works',
    async () => {
      const [, dataSource] = await startDatabaseServer(cleanUp, kind);
      await granted(newcomer(dataSource));
      await execute(dataSource, 'CREATE TABLE orders (id int)', 'INSERT INTO orders VALUES (1)', 'SELECT 1');
      expect((await granted(newcomer(dataSource))).workerId).toBe(1);
    },
    TEST_WITHIN_MS,
  );

  it(
    'changes when the server starts again, since the files may be older ones; holders go on',
    async () => {
      const [server, dataSource] = await startDatabaseServer(cleanUp, kind);
      const holder = stores.open({ dataSource, namespace: 'shop', createTable: true });
      // Its window outlasts a restart on a busy machine.
      const grant = await granted(holder.lease(firstRequest('holder', { windowMs: 600_000 })));
      await granted(blindNewcomer(dataSource));
      await server.restart();
      await expectLossSeen(dataSource);
      holder.reconnect?.();
      const renewal = firstRequest('holder', claimOf(grant));
      expect(await holder.lease(renewal)).toMatchObject({ outcome: 'kept' });
    },
    TEST_WITHIN_MS,
  );

  it(
    'misses the loss where commits are assumed to be kept, over a restart as well (control)',
    async () => {
      const [server, dataSource] = await startDatabaseServer(cleanUp, kind);
      await granted(blindNewcomer(dataSource));
      await server.restart();
      expect(await blindNewcomer(dataSource)).toMatchObject({ outcome: 'new', workerId: 1 });
    },
    TEST_WITHIN_MS,
  );

  it(
    'changes when older files are restored',
    async () => {
      const [server, dataSource] = await startDatabaseServer(cleanUp, kind);
      await leaseBoth(dataSource);
      await putFilesBack(server, await backUp(server));
      await expectLossSeen(dataSource);
    },
    TEST_WITHIN_MS,
  );

  it(
    'makes newcomers wait after files from before the tables are restored',
    async () => {
      const [server, dataSource] = await startDatabaseServer(cleanUp, kind);
      const backup = await backUp(server);
      await granted(newcomer(dataSource));
      await putFilesBack(server, backup);
      expect(await cautious(dataSource)).toMatchObject({ outcome: 'wait', reason: 'empty' });
      // Control: who asserts that nothing was lost gets the worker ID of the holder, who still has its window.
      const store = stores.open({ dataSource, namespace: 'shop' });
      expect(await store.lease(request('ignoring', { ignoreLoss: true }))).toMatchObject({
        outcome: 'new',
        workerId: 0,
      });
    },
    TEST_WITHIN_MS,
  );

  it.each([
    ['the table of worker IDs', kind === 'PostgreSQL' ? ['--clean'] : [], []],
    [
      'the rows of worker IDs',
      [kind === 'PostgreSQL' ? '--data-only' : '--no-create-info'],
      ['TRUNCATE TABLE snowflake_lease'],
    ],
  ])(
    'changes when a dump of nothing but %s is restored',
    async (_, more, statements) => {
      const [server, dataSource] = await startDatabaseServer(cleanUp, kind);
      const only = { workerCount: 1, windowMs: 1000 };
      const store = stores.open({ dataSource, namespace: 'shop', createTable: true });
      const { workerId, fencingToken, fromMs } = await granted(store.lease(firstRequest('earlier', only)));
      await store.release({ workerId, fencingToken, lastUsedMs: fromMs });
      const dump = await dumpTables(cleanUp, kind, server, ['snowflake_lease'], ...more);
      const holder = await granted(store.lease(firstRequest('holder', { workerCount: 1 })));
      await execute(dataSource, ...statements);
      await loadDump(kind, server, dump);
      const wait = { outcome: 'wait', reason: 'history' };
      expect(await store.lease(firstRequest('newcomer', { workerCount: 1 }))).toMatchObject(wait);
      // Control: who asserts that nothing was lost gets timestamps of the holder.
      const ignoring = { workerCount: 1, ignoreLoss: true };
      const grant = await granted(store.lease(request('ignoring', ignoring)));
      expect([grant.workerId, grant.fromMs < holder.untilMs]).toEqual([holder.workerId, true]);
    },
    TEST_WITHIN_MS,
  );

  it(
    'changes when a dump replaces the tables',
    async () => {
      const [server, dataSource] = await startDatabaseServer(cleanUp, kind);
      await leaseBoth(dataSource);
      const dump = await dumpTables(cleanUp, kind, server, TABLES);
      // MariaDB stores the second in which a table was created.
      await delay(1100);
      await leaseBoth(dataSource);
      await execute(dataSource, 'DROP TABLE snowflake_lease', 'DROP TABLE snowflake_lease_namespace');
      await loadDump(kind, server, dump);
      await expectLossSeen(dataSource);
    },
    TEST_WITHIN_MS,
  );

  it(
    'changes when a replica takes over that missed a whole namespace, or the tables',
    async () => {
      const pair = await ReplicatedDatabase.start(kind);
      cleanUp(() => pair.stop());
      const primary = pair.options(pair.primary);
      await granted(newcomer(primary, 'known'));
      await pair.untilReplicated('SELECT count(*) AS leases FROM snowflake_lease');
      await pair.cutOff();
      await granted(newcomer(primary, 'missed'));
      const elsewhere = { dataSource: primary, namespace: 'missed', tableName: 'other', createTable: true };
      await granted(stores.open(elsewhere).lease(firstRequest('newcomer')));
      await pair.failOver();

      const replica = pair.options(pair.replica);
      expect(await newcomer(replica, 'known')).toMatchObject({ outcome: 'wait', reason: 'history' });
      expect(await cautious(replica, 'missed')).toMatchObject({ outcome: 'wait', reason: 'empty' });
      const missed = stores.open({ ...elsewhere, dataSource: replica });
      expect(await missed.lease(request('cautious'))).toMatchObject({
        outcome: 'wait',
        reason: 'empty',
      });
    },
    TEST_WITHIN_MS,
  );

  it(
    'refuses the lease on a replica until it takes over',
    async () => {
      const pair = await ReplicatedDatabase.start(kind);
      cleanUp(() => pair.stop());
      await granted(newcomer(pair.options(pair.primary)));
      await pair.untilReplicated('SELECT count(*) AS leases FROM snowflake_lease');
      const user = await limitedUser(kind, pair);
      await expect(newcomer(pair.options({ port: pair.replica.port, url: user }))).rejects.toMatchObject({
        code: 'SNOWFLAKE_STORE_UNAVAILABLE',
        retryable: true,
        message: expect.stringContaining('point the DataSource to the primary'),
      });
    },
    TEST_WITHIN_MS,
  );
});

describe('the history of PostgreSQL alone', () => {
  it(
    'changes when the rows are restored into the same tables',
    async () => {
      const server = await startPostgres();
      cleanUp(() => server.stop());
      const dataSource: DataSourceOptions = { type: 'postgres', url: server.url };
      await leaseBoth(dataSource);
      const dump = await dumpTables(cleanUp, 'PostgreSQL', server, TABLES, '--data-only');
      await leaseBoth(dataSource);
      await execute(dataSource, 'TRUNCATE snowflake_lease, snowflake_lease_namespace');
      await loadDump('PostgreSQL', server, dump);
      await expectLossSeen(dataSource);
    },
    TEST_WITHIN_MS,
  );

  it(
    'changes with a recovery to a point in time, at which a new timeline begins',
    async () => {
      const archive = temporaryFolder(cleanUp);
      await promisify(execFile)('chmod', ['777', archive]);
      const settings = {
        wal_level: 'replica',
        archive_mode: 'on',
        archive_command: `cp %p ${archive}/%f`,
        restore_command: `cp ${archive}/%f %p`,
        recovery_target_action: 'promote',
      };
      const server = await startPostgres({ settings });
      cleanUp(() => server.stop());
      const dataSource: DataSourceOptions = { type: 'postgres', url: server.url };
      await leaseBoth(dataSource);
      const restored = await startPostgres({ settings, replicaOf: server });
      cleanUp(() => restored.stop());
      await restored.restart(async () => {
        await promisify(execFile)('mv', [
          join(restored.dataDirectory, 'standby.signal'),
          join(restored.dataDirectory, 'recovery.signal'),
        ]);
        writeFileSync(
          join(restored.dataDirectory, 'postgresql.auto.conf'),
          "recovery_target = 'immediate'\n",
        );
      });
      const put: DataSourceOptions = { type: 'postgres', url: restored.url };
      await waitFor('the recovery to end', TEST_WITHIN_MS, async () => {
        const admin = await new DataSource(put).initialize();
        const [row] = await admin
          .query('SELECT pg_is_in_recovery() AS is_recovering')
          .finally(() => admin.destroy());
        return row.is_recovering === false;
      });
      await expectLossSeen(put);
    },
    TEST_WITHIN_MS,
  );

  it('refuses a user who may not read the history, with the remedy, unless the operator asserts it', async () => {
    const server = await startPostgres();
    cleanUp(() => server.stop());
    const dataSource: DataSourceOptions = { type: 'postgres', url: server.url };
    await execute(
      dataSource,
      'CREATE ROLE app LOGIN',
      'GRANT ALL ON SCHEMA public TO app',
      'REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC',
    );
    const asApp: DataSourceOptions = { type: 'postgres', url: server.url.replace('postgres@', 'app@') };
    await expect(newcomer(asApp)).rejects.toMatchObject({
      code: 'SNOWFLAKE_STORE_REJECTED',
      message: expect.stringContaining('set assumeNoLostWrites: true'),
    });
    await granted(blindNewcomer(asApp));
  });

  it('reads the history as a user without any grant', async () => {
    const server = await startPostgres();
    cleanUp(() => server.stop());
    const dataSource: DataSourceOptions = { type: 'postgres', url: server.url };
    await execute(dataSource, 'CREATE ROLE app LOGIN', 'GRANT ALL ON SCHEMA public TO app');
    const asApp: DataSourceOptions = { type: 'postgres', url: server.url.replace('postgres@', 'app@') };
    expect(await newcomer(asApp)).toMatchObject({ outcome: 'new' });
  });
});

describe('the history of a Galera cluster', () => {
  it(
    'uses the history of the cluster, and not that of the node',
    async () => {
      const folder = temporaryFolder(cleanUp);
      await promisify(execFile)('chmod', ['777', folder]);
      const server = await startMariaDb({
        settings: {
          'wsrep-on': 'ON',
          'wsrep-provider': '/usr/lib/galera/libgalera_smm.so',
          'wsrep-cluster-address': 'gcomm://',
          'wsrep-provider-options': `base_host=127.0.0.1;base_port=${await freePort()};gmcast.listen_addr=tcp://127.0.0.1:${await freePort()}`,
          'wsrep-node-address': '127.0.0.1',
          'binlog-format': 'ROW',
          'innodb-autoinc-lock-mode': '2',
        },
      });
      cleanUp(() => server.stop());
      const dataSource: DataSourceOptions = { type: 'mariadb', url: server.url };
      await leaseBoth(dataSource);
      const admin = await new DataSource(dataSource).initialize();
      cleanUp(() => admin.destroy());
      const [{ state }] = await admin.query(
        "SELECT variable_value AS state FROM information_schema.global_status WHERE variable_name = 'wsrep_cluster_state_uuid'",
      );
      const [{ history_id: historyId }] = await admin.query(
        "SELECT history_id FROM snowflake_lease_namespace WHERE namespace = 'shop'",
      );
      expect(historyId).toMatch(new RegExp(`^${state}/1/\\d+`));
    },
    TEST_WITHIN_MS,
  );
});

describe('the history of SQLite', () => {
  async function makeFile(): Promise<[string, DataSourceOptions]> {
    const folder = temporaryFolder(cleanUp);
    const file = join(folder, 'ids.sqlite');
    // Without WAL one file holds everything.
    return [file, { ...sqliteOptions(file), enableWAL: false } as DataSourceOptions];
  }

  it('stays the same while the app works, whatever it does to its own tables', async () => {
    const [, dataSource] = await makeFile();
    await granted(newcomer(dataSource));
    await execute(dataSource, 'CREATE TABLE orders (id int)', 'INSERT INTO orders VALUES (1)', 'VACUUM');
    expect((await granted(newcomer(dataSource))).workerId).toBe(1);
  });

  it.each([
    ['is moved into its place', (copy: string, file: string) => renameSync(copy, file)],
    [
      'is copied there after the file was removed',
      (copy: string, file: string) => {
        rmSync(file);
        copyFileSync(copy, file);
      },
    ],
  ])('changes when an older copy %s', async (_, putBackFile) => {
    const [file, dataSource] = await makeFile();
    await leaseBoth(dataSource);
    const copy = `${file}.copy`;
    copyFileSync(file, copy);
    await leaseBoth(dataSource);
    await stores.close();
    putBackFile(copy, file);
    await expectLossSeen(dataSource);
  });

  // A limit, which docs/operations/restoring-a-backup.md names: the operator must announce it.
  it('stays the same when an older copy is written into the file, until the operator announces it', async () => {
    const [file, dataSource] = await makeFile();
    await granted(newcomer(dataSource));
    copyFileSync(file, `${file}.copy`);
    await granted(newcomer(dataSource));
    await stores.close();
    copyFileSync(`${file}.copy`, file);
    expect((await granted(newcomer(dataSource))).workerId).toBe(1);
    await execute(dataSource, "UPDATE snowflake_lease_namespace SET history_id = 'restored'");
    expect(await newcomer(dataSource)).toMatchObject({ outcome: 'wait', reason: 'history' });
  });
});

describe.each(['SQLite', 'PostgreSQL', 'MariaDB'] as const)(
  'a namespace of which nothing is stored on %s',
  (kind) => {
    it('makes newcomers wait after the migration, too, unless it is declared new', async () => {
      const database = await makeDatabase(kind, 'sql-new-namespace');
      cleanUp(() => database.remove());
      const migrations = [CreateSnowflakeLeaseTables1767225600000];
      await new DataSource({ ...database.options, migrations } as DataSourceOptions)
        .initialize()
        .then(async (admin) => {
          await admin.runMigrations();
          await admin.destroy();
        });
      expect(await cautious(database.options, 'shop')).toMatchObject({ outcome: 'wait', reason: 'empty' });
      expect(await newcomer(database.options, 'depot')).toMatchObject({ outcome: 'new', workerId: 0 });
    });
  },
);

describe('a crash of a MariaDB that has not flushed an acknowledged grant [promise: after-loss]', () => {
  const FLUSH_LATER = {
    'innodb-flush-log-at-trx-commit': '0',
    // Otherwise a thread flushes once a second.
    'innodb-flush-log-at-timeout': '2700',
  };

  /** Commits a row of the store for good, grants a worker ID to be lost, and crashes the server. */
  async function crashAfter(grant: (dataSource: DataSourceOptions) => Promise<LeaseReply>) {
    const server = await startMariaDb({ settings: FLUSH_LATER });
    cleanUp(() => server.stop());
    const dataSource: DataSourceOptions = { type: 'mariadb', url: server.url };
    await granted(grant(dataSource));
    const flush = (value: number) => `SET GLOBAL innodb_flush_log_at_trx_commit = ${value}`;
    await execute(dataSource, flush(1), 'CREATE TABLE flushed (id int)', flush(0));
    const lost = await granted(grant(dataSource));
    await server.restart();
    return { dataSource, lost };
  }

  const trusting = (dataSource: DataSourceOptions) => ({
    dataSource,
    namespace: 'shop',
    createTable: true,
    assumeNoLostWrites: true,
  });

  it(
    'makes newcomers wait, and fails at the start if the store asserts that no write is lost',
    async () => {
      const { dataSource } = await crashAfter((database) => {
        const store = stores.open({ dataSource: database, namespace: 'shop', createTable: true });
        return store.lease(firstRequest('holder'));
      });
      expect(await newcomer(dataSource)).toMatchObject({ outcome: 'wait', reason: 'history' });
      const refused = { code: 'SNOWFLAKE_STORE_REJECTED', message: expect.stringContaining('is 0') };
      await expect(stores.open(trusting(dataSource)).lease(firstRequest('late'))).rejects.toMatchObject(
        refused,
      );
    },
    TEST_WITHIN_MS,
  );

  it(
    'grants the same timestamps of a worker ID twice where the assumption is not checked (control)',
    async () => {
      let holders = 0;
      const { dataSource, lost } = await crashAfter((database) => unchecked(database));
      const again = await granted(unchecked(dataSource));
      expect(again).toMatchObject({ workerId: lost.workerId });
      expect(again.fromMs).toBeLessThanOrEqual(lost.untilMs);

      function unchecked(database: DataSourceOptions): Promise<LeaseReply> {
        holders += 1;
        const store = stores.open(trusting(database), undefined, withoutAskingForSettings);
        return store.lease(firstRequest(`holder ${holders}`));
      }
    },
    TEST_WITHIN_MS,
  );
});

/** A newcomer without any state, which takes an empty namespace as new. */
function newcomer(dataSource: DataSourceOptions, namespace = 'shop'): Promise<LeaseReply> {
  return stores.open({ dataSource, namespace, createTable: true }).lease(firstRequest('newcomer'));
}

/** A newcomer without the assertion that the namespace is new. */
function cautious(dataSource: DataSourceOptions, namespace = 'shop'): Promise<LeaseReply> {
  return stores.open({ dataSource, namespace, createTable: true }).lease(request('cautious'));
}

/** Control: a newcomer of a namespace whose history is assumed to lose nothing. */
function blindNewcomer(dataSource: DataSourceOptions): Promise<LeaseReply> {
  const blind = { dataSource, namespace: 'blind', createTable: true, assumeNoLostWrites: true };
  return stores.open(blind, undefined, withoutAskingForSettings).lease(firstRequest('blind'));
}

async function leaseBoth(dataSource: DataSourceOptions): Promise<void> {
  await granted(newcomer(dataSource));
  await granted(blindNewcomer(dataSource));
}

async function expectLossSeen(dataSource: DataSourceOptions): Promise<void> {
  expect(await newcomer(dataSource)).toMatchObject({ outcome: 'wait', reason: 'history' });
  await granted(blindNewcomer(dataSource));
}

/** The URL of a user who may not write where the server is read-only. */
async function limitedUser(kind: ReplicatedKind, pair: ReplicatedDatabase): Promise<string> {
  if (kind === 'PostgreSQL') return pair.primary.url;
  await pair.query(pair.primary, "CREATE USER 'app'@'127.0.0.1' IDENTIFIED BY 'app'");
  await pair.query(pair.primary, "GRANT ALL ON test.* TO 'app'@'127.0.0.1'");
  await pair.untilReplicated("SELECT db FROM mysql.db WHERE user = 'app'");
  return pair.primary.url.replace('snowflake:snowflake@', 'app:app@');
}
