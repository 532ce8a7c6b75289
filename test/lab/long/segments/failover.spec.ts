import { setTimeout as delay } from 'node:timers/promises';
import type { SqlSegmentStoreOptions } from 'nestjs-snowflake-segments';
import {
  DURABLE,
  execute,
  startDatabaseServer,
} from '../../../integration/sql-store/support/database-servers.js';
import {
  REPLICATED_KINDS,
  ReplicatedDatabase,
  type ReplicatedKind,
} from '../../../integration/sql-store/support/replicated-database.js';
import { cleanUpAfterEach } from '../../../support/clean-up.js';
import { TcpProxy } from '../../../support/proxies/tcp-proxy.js';
import { dumpTables, loadDump } from '../sql-store/support/dumps.js';
import { AppProcess, duplicatesIn, highestOf, STEP } from './support/app-process.js';

const BOUND_MS = 240_000;
const TABLES = ['snowflake_segment', 'snowflake_segment_state', 'snowflake_segment_claim'];
const LOST = { code: 'SNOWFLAKE_HISTORY_CHANGED', reason: 'history' };

// The processes end before their databases stop.
afterEach(() => AppProcess.crashAll(), BOUND_MS);
const cleanUp = cleanUpAfterEach();

describe.each(REPLICATED_KINDS)(
  'a failover of %s to a replica that missed claims [promise: segments]',
  (kind) => {
    it(
      'ends all claims until an operator has named the highest number, and then repeats none',
      async () => {
        const { database, known, unknown, crashed } = await failOver(kind);
        const newcomer = new AppProcess(database);
        await expect(newcomer.segments.start()).rejects.toMatchObject(LOST);
        for (const survivor of [known, unknown]) {
          await expect(survivor.issue(5 * STEP)).rejects.toMatchObject(LOST);
          survivor.issueHeld();
          expect(() => survivor.segments.source('order').next()).toThrow(
            expect.objectContaining({ code: 'SNOWFLAKE_SEGMENT_EXHAUSTED' }),
          );
        }
        await expect(known.segments.resume({})).rejects.toMatchObject({ option: 'highest' });

        await known.segments.resume({ order: highestOf([known, unknown, crashed]) });
        const latecomer = await AppProcess.started(database);
        const all = [known, unknown, crashed, latecomer];
        for (const each of [known, unknown, latecomer]) await each.issue(2 * STEP);
        expect(duplicatesIn(all)).toBe(0);
      },
      BOUND_MS,
    );

    it(
      'repeats numbers where commits are assumed to be kept (control)',
      async () => {
        const { database, known, unknown, crashed } = await failOver(kind, { assumeNoLostWrites: true });
        const newcomer = await AppProcess.started(database, { assumeNoLostWrites: true });
        await newcomer.issue(STEP);
        expect(duplicatesIn([known, unknown, crashed, newcomer])).toBeGreaterThan(0);
      },
      BOUND_MS,
    );
  },
);

describe.each(REPLICATED_KINDS)('a crash of %s', (kind) => {
  it(
    'ends no claims if the server has every commit on disk, unless restarts are refused too',
    async () => {
      const [server, database] = await startDatabaseServer(cleanUp, kind);
      const before = await AppProcess.started(database);
      await before.issue(5 * STEP);
      await server.restart();
      const after = await AppProcess.started(database);
      for (const each of [before, after]) await each.issue(5 * STEP);
      expect(duplicatesIn([before, after])).toBe(0);
      const strict = AppProcess.started(database, { possibleLoss: 'refuseRestarts' });
      await expect(strict).rejects.toMatchObject(LOST);
    },
    BOUND_MS,
  );

  it(
    'ends all claims if the server can lose commits',
    async () => {
      const [server, database] = await startDatabaseServer(cleanUp, kind, {});
      const before = await AppProcess.started(database);
      await before.issue(5 * STEP);
      await server.restart();
      await expect(AppProcess.started(database)).rejects.toMatchObject(LOST);
      await new AppProcess(database).segments.resume({ order: highestOf([before]) });
      const after = await AppProcess.started(database);
      await after.issue(STEP);
      expect(duplicatesIn([before, after])).toBe(0);
    },
    BOUND_MS,
  );
});

it(
  'ends no claims after a crash of MariaDB that flushes the end of each commit itself, whatever its binary log does',
  async () => {
    const settings = { 'innodb-flush-log-at-trx-commit': '3', 'log-bin': 'binary', 'sync-binlog': '0' };
    const [server, database] = await startDatabaseServer(cleanUp, 'MariaDB', settings);
    const before = await AppProcess.started(database);
    await before.issue(5 * STEP);
    await server.restart();
    const after = await AppProcess.started(database);
    for (const each of [before, after]) await each.issue(5 * STEP);
    expect(duplicatesIn([before, after])).toBe(0);
  },
  BOUND_MS,
);

describe('a crash of MariaDB that loses commits', () => {
  const LAZY = { 'innodb-flush-log-at-trx-commit': '0', 'innodb-flush-log-at-timeout': '60' };

  it.each<[string, Record<string, string>]>([
    ['its log is written later', LAZY],
    ['its binary log is written later', { ...DURABLE.MariaDB, 'log-bin': 'binary', 'sync-binlog': '0' }],
  ])(
    'ends all claims if %s',
    async (_name, settings) => {
      const [server, database] = await startDatabaseServer(cleanUp, 'MariaDB', settings);
      await AppProcess.started(database);
      await server.restart();
      await expect(AppProcess.started(database)).rejects.toMatchObject(LOST);
    },
    BOUND_MS,
  );

  it(
    'repeats numbers if the loss is ignored (control)',
    async () => {
      const [server, database] = await startDatabaseServer(cleanUp, 'MariaDB', LAZY);
      const ignoring = { possibleLoss: 'ignore', createTable: true } as const;
      const before = await AppProcess.started(database, ignoring);
      await execute(database, 'FLUSH ENGINE LOGS');
      await before.issue(5 * STEP);
      await before.crash();
      await server.restart();
      const after = await AppProcess.started(database, ignoring);
      await after.issue(5 * STEP);
      expect(duplicatesIn([before, after])).toBeGreaterThan(0);
    },
    BOUND_MS,
  );

  it(
    'cannot happen unnoticed after a change of the settings, because claims end until the change is undone',
    async () => {
      const [server, database] = await startDatabaseServer(cleanUp, 'MariaDB');
      const app = await AppProcess.started(database);
      const set = (value: number): Promise<unknown> =>
        execute(database, `SET GLOBAL innodb_flush_log_at_trx_commit = ${value}`);
      await set(2);
      const refused = {
        code: 'SNOWFLAKE_STORE_REJECTED',
        message: expect.stringContaining('innodb_flush_log_at_trx_commit'),
      };
      await expect(app.issue(5 * STEP)).rejects.toMatchObject(refused);
      await expect(app.segments.resume({ order: highestOf([app]) })).rejects.toMatchObject(refused);
      await set(1);
      await app.issue(5 * STEP);

      const strict = new AppProcess(database, { possibleLoss: 'refuseRestarts' });
      await strict.segments.resume({ order: highestOf([app]) });
      await set(0);
      for (const each of [app, strict]) await each.issue(5 * STEP);
      await server.restart();
      await expect(AppProcess.started(database)).rejects.toMatchObject(LOST);
      expect(duplicatesIn([app, strict])).toBe(0);
    },
    BOUND_MS,
  );

  it(
    'accepts a server whose container has another host name',
    async () => {
      const [, database] = await startDatabaseServer(cleanUp, 'MariaDB');
      await AppProcess.started(database);
      const [row] = await execute<{ host: string; lasting_id: string; history_id: string }>(
        database,
        "SELECT @@hostname AS host, lasting_id, history_id FROM snowflake_segment_state WHERE biz_tag = ''",
      );
      expect(row?.history_id.split('/')).toContain(row?.host);
      expect(row?.lasting_id.split('/')).not.toContain(row?.host);
    },
    BOUND_MS,
  );
});

describe.each(REPLICATED_KINDS)('a dump of the rows alone, restored to %s', (kind) => {
  it(
    kind === 'PostgreSQL'
      ? 'ends all claims'
      : 'repeats numbers that were issued since, unless an operator resumes the tags, as the guide says',
    async () => {
      const [server, database] = await startDatabaseServer(cleanUp, kind);
      const before = await AppProcess.started(database);
      const rowsOnly = kind === 'MariaDB' ? '--no-create-info' : '--data-only';
      const dump = await dumpTables(cleanUp, kind, server, TABLES, rowsOnly);
      await before.issue(5 * STEP);
      await before.crash();

      const restore = async (): Promise<void> => {
        await execute(database, ...TABLES.map((table) => `DELETE FROM ${table}`));
        await loadDump(kind, server, dump);
      };
      await restore();
      if (kind === 'PostgreSQL') {
        await expect(AppProcess.started(database)).rejects.toMatchObject(LOST);
      } else {
        const unnoticed = await AppProcess.started(database);
        await unnoticed.issue(2 * STEP);
        expect(duplicatesIn([before, unnoticed])).toBeGreaterThan(0);
        await unnoticed.crash();
        await restore();
      }
      await new AppProcess(database).segments.resume({ order: highestOf([before]) });
      const after = await AppProcess.started(database);
      await after.issue(2 * STEP);
      expect(duplicatesIn([before, after])).toBe(0);
    },
    BOUND_MS,
  );
});

describe.each(REPLICATED_KINDS)('a restored dump of %s', (kind) => {
  it(
    'ends all claims, although a restart ends none',
    async () => {
      const [server, database] = await startDatabaseServer(cleanUp, kind);
      const before = await AppProcess.started(database);
      await before.issue(10);
      const dump = await dumpTables(cleanUp, kind, server, TABLES);
      await before.issue(5 * STEP);

      await server.restart();
      const restarted = await AppProcess.started(database);
      await restarted.issue(10);

      // MariaDB stores the second in which a table was created.
      await delay(1100);
      await execute(database, ...TABLES.map((table) => `DROP TABLE ${table}`));
      await loadDump(kind, server, dump);
      await expect(AppProcess.started(database)).rejects.toMatchObject(LOST);
      await restarted.segments.resume({ order: highestOf([before, restarted]) });
      const later = await AppProcess.started(database);
      await later.issue(STEP);
      expect(duplicatesIn([before, restarted, later])).toBe(0);
    },
    BOUND_MS,
  );
});

/** The replica misses the claims of three processes, one of which crashes with the primary. */
async function failOver(kind: ReplicatedKind, options: Partial<SqlSegmentStoreOptions> = {}) {
  const pair = await ReplicatedDatabase.start(kind);
  cleanUp(() => pair.stop());
  const router = await TcpProxy.start(pair.primary.port);
  cleanUp(() => router.close());
  const database = pair.options({ port: router.port });
  const known = await AppProcess.started(database, options);
  await known.issue(10);
  await pair.untilReplicated('SELECT max_id FROM snowflake_segment');
  await pair.cutOff();
  await known.issue(2 * STEP);
  const [unknown, crashed] = [
    await AppProcess.started(database, options),
    await AppProcess.started(database, options),
  ];
  await unknown.issue(10);
  await crashed.issue(3 * STEP);
  await pair.failOver();
  await crashed.crash();
  router.leadTo(pair.replica.port);
  return { database, known, unknown, crashed };
}
