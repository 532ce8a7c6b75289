import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Segments, sqlSegmentStore, type SqlSegmentStoreOptions } from 'nestjs-snowflake-segments';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { dumpTables, loadDump } from '../sql-store/support/dumps.js';
import {
  REPLICATED_KINDS,
  ReplicatedDatabase,
  type ReplicatedKind,
} from '../../../integration/sql-store/support/replicated-database.js';
import { TcpProxy } from '../../../support/proxies/tcp-proxy.js';
import {
  type DatabaseServer,
  DURABLE_SETTINGS,
  startMariaDb,
  startPostgres,
} from '../../../support/servers/index.js';
import { cleanUpAfterEach } from '../../../support/clean-up.js';

const BOUND_MS = 240_000;
const TABLES = ['snowflake_segment', 'snowflake_segment_state', 'snowflake_segment_claim'];
const LOST = { code: 'SNOWFLAKE_HISTORY_CHANGED', reason: 'history' };
const STEP = 1000;

const running = new Set<AppProcess>();

afterEach(async () => {
  await Promise.all([...running].map((each) => each.crash()));
  running.clear();
}, BOUND_MS);
const cleanUp = cleanUpAfterEach();

/** A process of an app, which stores each number that it issues. */
class AppProcess {
  readonly segments: Segments;
  readonly issued: number[] = [];

  constructor(dataSource: DataSourceOptions, options: Partial<SqlSegmentStoreOptions> = {}) {
    this.segments = new Segments({
      store: sqlSegmentStore({ dataSource, createTable: true, ...options }),
      tags: ['order'],
      step: STEP,
      callTimeoutMs: 10_000,
      readyTimeoutMs: 60_000,
      stopTimeoutMs: 0,
    });
    running.add(this);
  }

  static async started(...given: ConstructorParameters<typeof AppProcess>): Promise<AppProcess> {
    const process = new AppProcess(...given);
    await process.segments.start();
    return process;
  }

  get highest(): number {
    return this.segments.source('order').status().highest ?? 0;
  }

  async issue(count: number): Promise<void> {
    await this.segments.source('order').ready(count);
    this.issued.push(...this.segments.source('order').nextMany(count));
  }

  /** Issues all that is at hand. */
  issueHeld(): void {
    const source = this.segments.source('order');
    this.issued.push(...source.nextMany(source.status().left));
  }

  /** Ends without giving anything back. */
  async crash(): Promise<void> {
    running.delete(this);
    await this.segments.stop();
  }
}

function highestOf(processes: readonly AppProcess[]): number {
  return Math.max(...processes.flatMap(({ issued, highest }) => [...issued, highest]));
}

function duplicatesIn(processes: readonly AppProcess[]): number {
  const numbers = processes.flatMap(({ issued }) => issued);
  return numbers.length - new Set(numbers).size;
}

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

/** The settings of all tests lose the last second in a crash. */
const DURABLE = { PostgreSQL: DURABLE_SETTINGS.postgres, MariaDB: DURABLE_SETTINGS.mariadb };

async function startServer(
  kind: ReplicatedKind,
  settings: Readonly<Record<string, string>>,
): Promise<[DatabaseServer, DataSourceOptions]> {
  const server = await (kind === 'PostgreSQL' ? startPostgres({ settings }) : startMariaDb({ settings }));
  cleanUp(() => server.stop());
  return [server, { type: kind === 'PostgreSQL' ? 'postgres' : 'mariadb', url: server.url }];
}

describe.each(REPLICATED_KINDS)('a crash of %s', (kind) => {
  it(
    'ends no claims if the server has every commit on disk, unless restarts are refused too',
    async () => {
      const [server, database] = await startServer(kind, DURABLE[kind]);
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
      const [server, database] = await startServer(kind, {});
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
    const [server, database] = await startServer('MariaDB', settings);
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
      const [server, database] = await startServer('MariaDB', settings);
      await AppProcess.started(database);
      await server.restart();
      await expect(AppProcess.started(database)).rejects.toMatchObject(LOST);
    },
    BOUND_MS,
  );

  it(
    'repeats numbers if the loss is ignored (control)',
    async () => {
      const [server, database] = await startServer('MariaDB', LAZY);
      const ignoring = { possibleLoss: 'ignore', createTable: true } as const;
      const before = await AppProcess.started(database, ignoring);
      await withAdmin(database, async (admin) => void (await admin.query('FLUSH ENGINE LOGS')));
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
      const [server, database] = await startServer('MariaDB', DURABLE.MariaDB);
      const app = await AppProcess.started(database);
      const set = (value: number): Promise<void> =>
        withAdmin(database, async (admin) => {
          await admin.query(`SET GLOBAL innodb_flush_log_at_trx_commit = ${value}`);
        });
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
      const [, database] = await startServer('MariaDB', DURABLE.MariaDB);
      await AppProcess.started(database);
      await withAdmin(database, async (admin) => {
        const [row] = await admin.query<{ host: string; lasting_id: string; history_id: string }[]>(
          "SELECT @@hostname AS host, lasting_id, history_id FROM snowflake_segment_state WHERE biz_tag = ''",
        );
        expect(row?.history_id.split('/')).toContain(row?.host);
        expect(row?.lasting_id.split('/')).not.toContain(row?.host);
      });
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
      const [server, database] = await startServer(kind, DURABLE[kind]);
      const before = await AppProcess.started(database);
      const folder = mkdtempSync(join(tmpdir(), 'snowflake-segment-rows-'));
      cleanUp(() => rmSync(folder, { recursive: true }));
      const dump = join(folder, 'rows.sql');
      const rowsOnly = kind === 'MariaDB' ? '--no-create-info' : '--data-only';
      await dumpTables(kind, server, TABLES, dump, rowsOnly);
      await before.issue(5 * STEP);
      await before.crash();

      const restore = async (): Promise<void> => {
        await withAdmin(database, async (admin) => {
          for (const table of TABLES) await admin.query(`DELETE FROM ${table}`);
        });
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
      const [server, database] = await startServer(kind, DURABLE[kind]);
      const before = await AppProcess.started(database);
      await before.issue(10);
      const folder = mkdtempSync(join(tmpdir(), 'snowflake-segment-dump-'));
      cleanUp(() => rmSync(folder, { recursive: true }));
      const dump = join(folder, 'dump.sql');
      await dumpTables(kind, server, TABLES, dump);
      await before.issue(5 * STEP);

      await server.restart();
      const restarted = await AppProcess.started(database);
      await restarted.issue(10);

      // MariaDB stores the second in which a table was created.
      await delay(1100);
      await withAdmin(database, async (admin) => {
        for (const table of TABLES) await admin.query(`DROP TABLE ${table}`);
      });
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

async function withAdmin(
  database: DataSourceOptions,
  work: (admin: DataSource) => Promise<void>,
): Promise<void> {
  const admin = await new DataSource(database).initialize();
  try {
    await work(admin);
  } finally {
    await admin.destroy();
  }
}
