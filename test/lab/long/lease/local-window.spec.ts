import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestChild } from '../../../support/child.js';
import { startRedis, type RedisServer } from '../../../support/servers/index.js';
import { takenName } from './support/counted-disk.js';
import {
  type SuccessorJob,
  type SuccessorReport,
  idsOf,
  reportOf,
  spawnSuccessor,
} from './support/successor-job.js';
import { duplicatesIn } from '../../../lease/support/id-checks.js';

const COUNT = 4000;
const TIMEOUT_MS = 60_000;
const TEST_WITHIN_MS = 240_000;
/** No server listens at this address, so the store is unreachable. */
const AWAY_URL = 'redis://127.0.0.1:1';
/** Longer than a busy machine takes to get a lease; shorter where there is none to get. */
const ACQUIRE_WITHIN_MS = 30_000;
const GIVES_UP_AFTER_MS = 4000;
/** Operations that try the folder, before the file is looked at. */
const TRIAL = ['open', 'stat', 'unlink', 'open', 'sync', 'open', 'stat'];
/** The file, and whose folder it lies in. */
const LOOK = ['open', 'stat', 'readFile', 'open', 'stat'];
const TAKE = ['rename', 'open', 'sync', ...LOOK, 'truncate', 'unlink'];
const START = [...TRIAL, ...LOOK, ...TAKE];
const DRAFT = ['open', 'stat', 'open', 'stat', 'writeFile', 'sync'];
const LEAVE = ['open', ...DRAFT, 'rename', 'open', 'sync'];

let redis: RedisServer;
let root: string;
let families = 0;

beforeAll(async () => {
  redis = await startRedis();
  root = mkdtempSync(join(tmpdir(), 'snowflake-successors-'));
});
afterAll(async () => {
  await redis.stop();
  rmSync(root, { recursive: true, force: true });
});

type SuccessorOptions = Pick<
  SuccessorJob,
  'dieBefore' | 'forgetsThatItWasTaken' | 'isLinkedWhenTaken' | 'keepsWhatIsEmptied' | 'waits'
> &
  Partial<Pick<SuccessorJob, 'acquireTimeoutMs'>>;

/** Processes that follow one another, with one file for the rest of the window. */
class Family {
  readonly folder = join(root, `family-${families++}`);
  private readonly jobs: SuccessorJob[] = [];
  private readonly nowMs = Date.now();

  constructor() {
    mkdirSync(join(this.folder, 'kept'), { recursive: true });
  }

  /** A process while the store is there. */
  whileReachable(options: SuccessorOptions = {}): Promise<SuccessorReport> {
    return reportOf(this.spawn(redis.url, options));
  }

  /** Runs a process while the store is unreachable. */
  whileUnreachable(options: SuccessorOptions = {}): Promise<SuccessorReport> {
    return reportOf(this.spawn(AWAY_URL, options));
  }

  /** A process that dies before an operation on the disk. */
  async dying(url: string, dieBefore: NonNullable<SuccessorJob['dieBefore']>): Promise<void> {
    const child = this.spawn(url, { dieBefore });
    expect(await child.untilEnd(TIMEOUT_MS)).toMatchObject({ signal: 'SIGKILL' });
  }

  spawn(url: string, options: SuccessorOptions): TestChild {
    const job: SuccessorJob = {
      url,
      namespace: `successors-${this.folder.split('-').at(-1)}`,
      file: join(this.folder, 'kept', 'window'),
      idsFile: join(this.folder, `ids-${this.jobs.length}`),
      count: COUNT,
      nowMs: this.nowMs,
      acquireTimeoutMs: ACQUIRE_WITHIN_MS,
      ...options,
    };
    this.jobs.push(job);
    return spawnSuccessor(job);
  }

  get files(): string[] {
    return readdirSync(join(this.folder, 'kept'));
  }

  /** The machine lost power, and with it a new name that was not yet on disk. */
  forgetTheRename(): void {
    const taken = takenName(this.files, join(this.folder, 'kept'));
    if (taken !== undefined) renameSync(taken, join(this.folder, 'kept', 'window'));
  }

  get ids(): BigUint64Array[] {
    return this.jobs.map(idsOf);
  }
}

describe('processes that restart while Redis is unreachable', () => {
  it(
    'processes continue in the window of their predecessor, and make no ID twice',
    async () => {
      const family = new Family();
      const first = await family.whileReachable();
      expect(first.operations).toEqual({ start: [...TRIAL, 'open', 'open'], stop: LEAVE });
      const second = await family.whileUnreachable();
      const third = await family.whileUnreachable();
      for (const successor of [second, third]) {
        expect(successor).toMatchObject({ workerId: first.workerId, operations: { stop: LEAVE } });
        // The new name is on disk before there is a lease, and so before the first ID.
        expect(successor.operations.start).toEqual([...TRIAL, ...LOOK, ...TAKE]);
        expect(successor.warnings).toEqual([
          expect.stringContaining('Continuing with the rest of the window'),
        ]);
      }
      const last = await family.whileReachable();
      expect(last.workerId).not.toBe(first.workerId);
      expect(family.ids.map(({ length }) => length)).toEqual([COUNT, COUNT, COUNT, COUNT]);
      expect(duplicatesIn(family.ids)).toEqual([]);
      expect(family.files).toEqual(['window']);
    },
    TEST_WITHIN_MS,
  );

  it(
    'processes make IDs twice if the file reappears after it was used (control)',
    async () => {
      const family = new Family();
      await family.whileReachable();
      // The second is killed when it stops, so that it leaves no rest of its own.
      const child = family.spawn(AWAY_URL, {
        forgetsThatItWasTaken: true,
        keepsWhatIsEmptied: true,
        dieBefore: { phase: 'stop', operation: 0 },
      });
      await child.untilEnd(TIMEOUT_MS);
      await family.whileUnreachable();
      expect(family.ids.map(({ length }) => length)).toEqual([COUNT, COUNT, COUNT]);
      expect(duplicatesIn(family.ids).length).toBeGreaterThan(0);
    },
    TEST_WITHIN_MS,
  );

  it.each([
    ['make no ID twice', false],
    ['make IDs twice on a disk that does not empty it: this test can see it', true],
  ])(
    'a process shares no window through a file that gets its old name again while it is taken: %s',
    async (_, keepsWhatIsEmptied) => {
      const family = new Family();
      await family.whileReachable();
      // The second is killed when it stops, so that it leaves no rest of its own.
      const dieBefore = { phase: 'stop', operation: 0 } as const;
      const child = family.spawn(AWAY_URL, { isLinkedWhenTaken: true, keepsWhatIsEmptied, dieBefore });
      await child.untilEnd(TIMEOUT_MS);
      expect(family.files).toEqual(['window']);
      const acquireTimeoutMs = keepsWhatIsEmptied ? ACQUIRE_WITHIN_MS : GIVES_UP_AFTER_MS;
      const third = await family.whileUnreachable({ acquireTimeoutMs });
      expect(third.warnings).toEqual([
        expect.stringContaining(keepsWhatIsEmptied ? 'Continuing with the rest' : 'window is damaged'),
      ]);
      expect(family.ids.map(({ length }) => length)).toEqual([COUNT, COUNT, keepsWhatIsEmptied ? COUNT : 0]);
      expect(duplicatesIn(family.ids).length > 0).toBe(keepsWhatIsEmptied);
    },
    TEST_WITHIN_MS,
  );

  it(
    'only one of several processes that race for the file gets it',
    async () => {
      const family = new Family();
      await family.whileReachable();
      // Killed at their stop, so that nobody gets what another one has left over.
      const dieBefore = { phase: 'stop', operation: 0 } as const;
      const options = { waits: true, dieBefore, acquireTimeoutMs: 2 * GIVES_UP_AFTER_MS };
      const children = Array.from({ length: 5 }, () => family.spawn(AWAY_URL, options));
      const isReady = (message: unknown): message is object =>
        (message as { status: string }).status === 'ready';
      await Promise.all(children.map((child) => child.next(isReady, TIMEOUT_MS)));
      for (const child of children) child.send({ order: 'go' });
      const ends = await Promise.all(children.map((child) => child.untilEnd(TIMEOUT_MS)));
      expect(ends.filter(({ signal }) => signal === 'SIGKILL')).toHaveLength(1);
      expect(family.ids.filter(({ length }) => length === COUNT)).toHaveLength(2);
      expect(duplicatesIn(family.ids)).toEqual([]);
    },
    TEST_WITHIN_MS,
  );
});

describe('a process that is killed', () => {
  it(
    'a process that is killed while it holds the file leaves nothing that another one could use',
    async () => {
      const family = new Family();
      await family.whileReachable();
      await family.dying(AWAY_URL, { phase: 'start', operation: START.length - 1 });
      const hopeless = await family.whileUnreachable({ acquireTimeoutMs: GIVES_UP_AFTER_MS });
      expect(hopeless).toMatchObject({ error: 'SNOWFLAKE_ACQUIRE_TIMEOUT', warnings: [] });
    },
    TEST_WITHIN_MS,
  );

  const RENAMED_AT_STOP = LEAVE.indexOf('rename') + 1;

  it.each(LEAVE.map((operation, index): [number, string] => [index, operation]))(
    'a kill at the stop, before operation %i (%s), leaves all unused timestamps or none',
    async (operation) => {
      const family = new Family();
      await family.dying(redis.url, { phase: 'stop', operation });
      const isLeft = operation >= RENAMED_AT_STOP;
      expect(family.files.includes('window')).toBe(isLeft);
      if (isLeft) expect(await family.whileUnreachable()).toMatchObject({ workerId: 0 });
      expect(duplicatesIn(family.ids)).toEqual([]);
      expect(family.ids[0]).toHaveLength(COUNT);
    },
    TEST_WITHIN_MS,
  );

  const RENAMED_AT_START = TRIAL.length + LOOK.length + 1;
  const ON_DISK_AT_START = START.indexOf('sync', RENAMED_AT_START) + 1;
  const POINTS = START.map((operation, index): [number, string] => [index, operation]).slice(
    RENAMED_AT_START - 1,
  );

  it.each(POINTS)(
    'a kill at the start, before operation %i (%s), uses nothing, and no timestamp is used twice',
    async (operation) => {
      const family = new Family();
      await family.whileReachable();
      await family.dying(AWAY_URL, { phase: 'start', operation });
      if (operation < ON_DISK_AT_START) family.forgetTheRename();
      const isLeft = operation < ON_DISK_AT_START;
      expect(family.files.includes('window')).toBe(isLeft);
      if (isLeft) {
        expect(await family.whileUnreachable()).toMatchObject({ workerId: 0 });
        await family.whileUnreachable();
      }
      expect(duplicatesIn(family.ids)).toEqual([]);
      expect(family.ids[1]).toHaveLength(0);
    },
    TEST_WITHIN_MS,
  );
});
