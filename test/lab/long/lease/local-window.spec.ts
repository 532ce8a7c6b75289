import { duplicatesIn } from '../../../lease/support/id-checks.js';
import { startRedis, type RedisServer } from '../../../support/servers/index.js';
import { ACQUIRE_WITHIN_MS, COUNT, Successors } from './support/successors.js';

const TIMEOUT_MS = 60_000;
const TEST_WITHIN_MS = 240_000;
/** Shorter than where there is a lease to get. */
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
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.stop());

describe('processes that restart while Redis is unreachable', () => {
  it(
    'processes continue in the window of their predecessor, and generate no ID twice',
    async () => {
      const successors = new Successors(redis.url);
      const first = await successors.whileReachable();
      expect(first.operations).toEqual({ start: [...TRIAL, 'open', 'open'], stop: LEAVE });
      const second = await successors.whileUnreachable();
      const third = await successors.whileUnreachable();
      for (const successor of [second, third]) {
        expect(successor).toMatchObject({ workerId: first.workerId, operations: { stop: LEAVE } });
        // The new name is on disk before there is a lease, and so before the first ID.
        expect(successor.operations.start).toEqual([...TRIAL, ...LOOK, ...TAKE]);
        expect(successor.warnings).toEqual([
          expect.stringContaining('Continuing with the rest of the window'),
        ]);
      }
      const last = await successors.whileReachable();
      expect(last.workerId).not.toBe(first.workerId);
      expect(successors.ids.map(({ length }) => length)).toEqual([COUNT, COUNT, COUNT, COUNT]);
      expect(duplicatesIn(successors.ids)).toEqual([]);
      expect(successors.files).toEqual(['window']);
    },
    TEST_WITHIN_MS,
  );

  it(
    'processes generate IDs twice if the file reappears after it was used (control)',
    async () => {
      const successors = new Successors(redis.url);
      await successors.whileReachable();
      // The second is killed when it stops, so that it leaves no rest of its own.
      const { child } = successors.startUnreachable({
        forgetsThatItWasTaken: true,
        keepsWhatIsEmptied: true,
        dieBefore: { phase: 'stop', operation: 0 },
      });
      await child.untilEnd(TIMEOUT_MS);
      await successors.whileUnreachable();
      expect(successors.ids.map(({ length }) => length)).toEqual([COUNT, COUNT, COUNT]);
      expect(duplicatesIn(successors.ids).length).toBeGreaterThan(0);
    },
    TEST_WITHIN_MS,
  );

  it.each([
    ['generate no ID twice', false],
    ['generate IDs twice on a disk that does not empty it: this test can see it', true],
  ])(
    'a process shares no window through a file that gets its old name again while it is taken: %s',
    async (_, keepsWhatIsEmptied) => {
      const successors = new Successors(redis.url);
      await successors.whileReachable();
      // The second is killed when it stops, so that it leaves no rest of its own.
      const dieBefore = { phase: 'stop', operation: 0 } as const;
      const { child } = successors.startUnreachable({
        isLinkedWhenTaken: true,
        keepsWhatIsEmptied,
        dieBefore,
      });
      await child.untilEnd(TIMEOUT_MS);
      expect(successors.files).toEqual(['window']);
      const acquireTimeoutMs = keepsWhatIsEmptied ? ACQUIRE_WITHIN_MS : GIVES_UP_AFTER_MS;
      const third = await successors.whileUnreachable({ acquireTimeoutMs });
      expect(third.warnings).toEqual([
        expect.stringContaining(keepsWhatIsEmptied ? 'Continuing with the rest' : 'window is damaged'),
      ]);
      expect(successors.ids.map(({ length }) => length)).toEqual([
        COUNT,
        COUNT,
        keepsWhatIsEmptied ? COUNT : 0,
      ]);
      expect(duplicatesIn(successors.ids).length > 0).toBe(keepsWhatIsEmptied);
    },
    TEST_WITHIN_MS,
  );

  it(
    'only one of several processes that race for the file gets it',
    async () => {
      const successors = new Successors(redis.url);
      await successors.whileReachable();
      // Killed at their stop, so that nobody gets what another one has left over.
      const dieBefore = { phase: 'stop', operation: 0 } as const;
      const options = { waits: true, dieBefore, acquireTimeoutMs: 2 * GIVES_UP_AFTER_MS };
      const children = Array.from({ length: 5 }, () => successors.startUnreachable(options));
      await Promise.all(children.map((child) => child.until('ready')));
      for (const child of children) child.order('go');
      const ends = await Promise.all(children.map(({ child }) => child.untilEnd(TIMEOUT_MS)));
      expect(ends.filter(({ signal }) => signal === 'SIGKILL')).toHaveLength(1);
      expect(successors.ids.filter(({ length }) => length === COUNT)).toHaveLength(2);
      expect(duplicatesIn(successors.ids)).toEqual([]);
    },
    TEST_WITHIN_MS,
  );
});

describe('a process that is killed', () => {
  it(
    'a process that is killed while it holds the file leaves nothing that another one could use',
    async () => {
      const successors = new Successors(redis.url);
      await successors.whileReachable();
      await successors.dieUnreachable({ phase: 'start', operation: START.length - 1 });
      const hopeless = await successors.whileUnreachable({ acquireTimeoutMs: GIVES_UP_AFTER_MS });
      expect(hopeless).toMatchObject({ error: 'SNOWFLAKE_ACQUIRE_TIMEOUT', warnings: [] });
    },
    TEST_WITHIN_MS,
  );

  const RENAMED_AT_STOP = LEAVE.indexOf('rename') + 1;

  it.each(LEAVE.map((operation, index): [number, string] => [index, operation]))(
    'a kill at the stop, before operation %i (%s), leaves all unused timestamps or none',
    async (operation) => {
      const successors = new Successors(redis.url);
      await successors.die({ phase: 'stop', operation });
      const isLeft = operation >= RENAMED_AT_STOP;
      expect(successors.files.includes('window')).toBe(isLeft);
      if (isLeft) expect(await successors.whileUnreachable()).toMatchObject({ workerId: 0 });
      expect(duplicatesIn(successors.ids)).toEqual([]);
      expect(successors.ids[0]).toHaveLength(COUNT);
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
      const successors = new Successors(redis.url);
      await successors.whileReachable();
      await successors.dieUnreachable({ phase: 'start', operation });
      if (operation < ON_DISK_AT_START) successors.forgetTheRename();
      const isLeft = operation < ON_DISK_AT_START;
      expect(successors.files.includes('window')).toBe(isLeft);
      if (isLeft) {
        expect(await successors.whileUnreachable()).toMatchObject({ workerId: 0 });
        await successors.whileUnreachable();
      }
      expect(duplicatesIn(successors.ids)).toEqual([]);
      expect(successors.ids[1]).toHaveLength(0);
    },
    TEST_WITHIN_MS,
  );
});
