import fc from 'fast-check';
import { KINDS, makeDatabase, type TestDatabase } from './support/databases.js';
import { type LeaseStep, MAX_SKEW_MS, Pair, WINDOW_MS } from './support/pair.js';
import { VirtualDatabase } from './support/virtual-database.js';

const leaseStep: fc.Arbitrary<LeaseStep> = fc.record({
  nonce: fc.nat(4),
  retry: fc.boolean(),
  trust: fc.boolean(),
  preferOffline: fc.integer({ min: 0, max: 3 }).map((n) => n === 0),
  windowMs: fc.constantFrom(WINDOW_MS, WINDOW_MS, WINDOW_MS, WINDOW_MS / 2, 2 * WINDOW_MS),
  isOtherLayout: fc.integer({ min: 0, max: 19 }).map((n) => n === 0),
  shows: fc.boolean(),
  grant: fc.nat(20),
  shownMs: fc.constantFrom(0, 0, 0, -1000, 1000),
});

/** What a column can hold and this library does not write; one of SQLite can hold text too. */
const garbage = ['-1', '-1700000000000', '1000000000000000', '9999999999999999'];
const passed = fc.oneof(
  fc.constantFrom(0, 1, MAX_SKEW_MS, WINDOW_MS, WINDOW_MS + MAX_SKEW_MS, -1, -MAX_SKEW_MS),
  fc.integer({ min: -WINDOW_MS, max: 3 * WINDOW_MS }),
);

type Step = (pair: Pair) => Promise<void>;
const stepWith = (values: readonly string[]): fc.Arbitrary<Step> =>
  fc.oneof(
    {
      weight: 12,
      arbitrary: leaseStep.map(
        (lease): Step =>
          (pair) =>
            pair.lease(lease),
      ),
    },
    {
      weight: 5,
      arbitrary: passed.map(
        (ms): Step =>
          (pair) =>
            pair.pass(ms),
      ),
    },
    {
      weight: 2,
      arbitrary: fc.tuple(fc.nat(20), fc.integer({ min: -WINDOW_MS, max: WINDOW_MS })).map(
        ([grant, lastUsedMs]): Step =>
          (pair) =>
            pair.release(grant, lastUsedMs),
      ),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom('copy' as const, 'all' as const, 'nothing' as const), fc.boolean())
        .map(
          ([kind, isSaid]): Step =>
            (pair) =>
              pair.lose(kind, isSaid),
        ),
    },
    { weight: 1, arbitrary: fc.constant<Step>(async (pair) => pair.remember()) },
    {
      weight: 1,
      arbitrary: fc.tuple(fc.nat(20), fc.constantFrom(...values), leaseStep).map(
        ([index, value, lease]): Step =>
          (pair) =>
            pair.damage(index, value, lease),
      ),
    },
  );

/** Runs of about 90 steps each; DIFFERENTIAL_RUNS makes more of them. */
const RUNS = Number(process.env.DIFFERENTIAL_RUNS ?? 12);

describe.each(KINDS)('the transactions on %s and the model', (kind) => {
  let database: TestDatabase;
  let virtual: VirtualDatabase;

  beforeAll(async () => {
    database = await makeDatabase(kind, 'sql-differential');
    virtual = new VirtualDatabase(database);
    await virtual.prepare();
  }, 120_000);
  afterAll(async () => {
    await virtual?.close();
    await database?.remove();
  });

  it(
    'answer and store the same, step by step',
    async () => {
      const outcomes = new Set<string>();
      const runs = fc.asyncProperty(
        fc.record({ firstWorkerId: fc.constantFrom(0, 7), workerCount: fc.integer({ min: 1, max: 5 }) }),
        fc.array(stepWith(kind === 'SQLite' ? [...garbage, 'x'] : garbage), {
          minLength: 60,
          maxLength: 120,
          size: 'max',
        }),
        async (range, steps) => {
          const pair = new Pair(virtual, range);
          await pair.prepare();
          for (const play of steps) await play(pair);
          for (const outcome of pair.outcomes) outcomes.add(outcome);
        },
      );
      await fc.assert(runs, { numRuns: RUNS, endOnFailure: true });
      const every = ['corrupt', 'full', 'gone', 'kept', 'layout', 'new', 'released', 'wait'];
      expect([...outcomes].sort()).toEqual(every);
    },
    60_000 + 10_000 * RUNS,
  );
});
