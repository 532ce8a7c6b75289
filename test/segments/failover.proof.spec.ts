import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Segments, sqlSegmentStore, type SqlSegmentStoreOptions } from 'nestjs-snowflake/segments';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { dumpTables, loadDump } from '../integration/sql-store/support/dumps.js';
import {
  REPLICATED_KINDS,
  ReplicatedDatabase,
  type ReplicatedKind,
} from '../integration/sql-store/support/replicated-database.js';
import { Router } from '../integration/sql-store/support/router.js';
import {
  type DatabaseServer,
  DURABLE_SETTINGS,
  startMariaDb,
  startPostgres,
} from '../support/servers/index.js';

const BOUND_MS = 240_000;
const TABLES = ['snowflake_segment', 'snowflake_segment_state', 'snowflake_segment_claim'];
const LOST = { code: 'SNOWFLAKE_HISTORY_CHANGED', reason: 'history' };
const STEP = 1000;

const cleanups: (() => unknown)[] = [];
const running = new Set<AppProcess>();

afterEach(async () => {
  await Promise.all([...running].map((each) => each.crash()));
  running.clear();
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
}, BOUND_MS);

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
  cleanups.push(() => pair.stop());
  const router = await Router.start(pair.primary.port);
  cleanups.push(() => router.close());
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

describe.each(REPLICATED_KINDS)('a failover of %s to a replica that missed claims', (kind) => {
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
});

describe.each(REPLICATED_KINDS)('a restored dump of %s', (kind) => {
  async function startServer(): Promise<[DatabaseServer, DataSourceOptions]> {
    const server = await (kind === 'PostgreSQL'
      ? startPostgres({ settings: DURABLE_SETTINGS.postgres })
      : startMariaDb({ settings: DURABLE_SETTINGS.mariadb }));
    cleanups.push(() => server.stop());
    return [server, { type: kind === 'PostgreSQL' ? 'postgres' : 'mariadb', url: server.url }];
  }

  it(
    'ends all claims, although restarts are trusted, which a restart shows',
    async () => {
      const [server, database] = await startServer();
      const trusting = { trustRestarts: true };
      const before = await AppProcess.started(database, trusting);
      await before.issue(10);
      const folder = mkdtempSync(join(tmpdir(), 'snowflake-segment-dump-'));
      cleanups.push(() => rmSync(folder, { recursive: true }));
      const dump = join(folder, 'dump.sql');
      await dumpTables(kind, server, TABLES, dump);
      await before.issue(5 * STEP);

      await server.restart();
      const restarted = await AppProcess.started(database, trusting);
      await restarted.issue(10);
      await expect(AppProcess.started(database)).rejects.toMatchObject(LOST);

      // MariaDB tells the second in which a table was made.
      await delay(1100);
      await drop(database, TABLES);
      await loadDump(kind, server, dump);
      await expect(AppProcess.started(database, trusting)).rejects.toMatchObject(LOST);
      await restarted.segments.resume({ order: highestOf([before, restarted]) });
      const later = await AppProcess.started(database, trusting);
      await later.issue(STEP);
      expect(duplicatesIn([before, restarted, later])).toBe(0);
    },
    BOUND_MS,
  );
});

async function drop(database: DataSourceOptions, tables: readonly string[]): Promise<void> {
  const desk = await new DataSource(database).initialize();
  try {
    for (const table of tables) await desk.query(`DROP TABLE ${table}`);
  } finally {
    await desk.destroy();
  }
}
