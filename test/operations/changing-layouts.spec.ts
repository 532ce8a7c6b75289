import type { SnowflakeIdMaker, SnowflakeOptions } from 'nestjs-snowflake';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { duplicatesIn } from '../lease/support/id-checks.js';
import { MakerPool, workerIdOf } from '../lease/support/maker-pool.js';
import { SteppedClock } from '../lease/support/stepped-clock.js';
import { startRedis, type RedisServer } from '../support/servers/index.js';
import { waitFor } from '../support/wait.js';

const TIMEOUT_MS = 60_000;
const ROUNDS = 100;
const DAY_MS = 86_400_000;
/** As far ahead as a process can be: its clock is wrong, and not corrected before the next renewal. */
const AHEAD_MS = 40_000;

type Layout = Pick<SnowflakeOptions, 'layout' | 'epoch'>;

const EPOCH_MS = Date.parse('2024-01-01T00:00:00Z');
/** Few sequence numbers, so that equal timestamps are equal IDs. */
const OLD: Layout = { layout: { workerBits: 10, sequenceBits: 3 }, epoch: EPOCH_MS };

let server: RedisServer;
let spaces = 0;
const pool = new MakerPool();

beforeAll(async () => {
  server = await startRedis();
});
afterEach(() => pool.stopAll());
afterAll(() => server.stop());

interface Both {
  readonly old: SnowflakeIdMaker;
  readonly oldClock: SteppedClock;
  readonly next: SnowflakeIdMaker;
}

/** A process of the old namespace, and one of the new one with another layout. */
async function startBoth(layout: Layout): Promise<Both> {
  const namespace = `shop${spaces++}`;
  const options = (name: string, { layout: fields, epoch }: Layout): SnowflakeOptions => ({
    store: redisLeaseStore({ url: server.url, namespace: name }),
    layout: fields,
    epoch,
    lease: { possibleLoss: 'ignore' },
  });
  const oldClock = new SteppedClock();
  const old = await pool.start(options(namespace, OLD), { clock: oldClock });
  const next = await pool.start(options(`${namespace}-v2`, layout));
  expect([old, next].map(workerIdOf)).toEqual([0, 0]);
  return { old, oldClock, next };
}

/** IDs of both while both run, the old one as far ahead as given. */
async function issueBeside({ old, oldClock, next }: Both, aheadMs: number): Promise<[bigint[], bigint[]]> {
  oldClock.step(aheadMs);
  const made: [bigint[], bigint[]] = [[], []];
  // Rounds, and not a time, which may pass without one when the machine stalls.
  let rounds = 0;
  await waitFor('some IDs', TIMEOUT_MS, () => {
    made[0].push(...old.nextBigInts(40));
    made[1].push(...next.nextBigInts(40));
    rounds += 1;
    return rounds === ROUNDS;
  });
  return made;
}

const largest = (ids: readonly bigint[]): bigint => ids.reduce((a, b) => (a > b ? a : b));
const smallest = (ids: readonly bigint[]): bigint => ids.reduce((a, b) => (a < b ? a : b));

/** The comparison that the page for operators requires. */
const isAbove = ({ old, next }: Both, whenMs: number): boolean =>
  BigInt(next.firstIdAt(new Date())) > BigInt(old.lastIdAt(whenMs));

describe('a new layout in a new namespace', () => {
  it.each<[string, Layout]>([
    ['an epoch two days earlier', { ...OLD, epoch: EPOCH_MS - 2 * DAY_MS }],
    ['one more bit of sequence', { ...OLD, layout: { workerBits: 10, sequenceBits: 4 } }],
    ['one more bit of worker ID', { ...OLD, layout: { workerBits: 11, sequenceBits: 3 } }],
  ])('generates IDs above the old ones while both namespaces run, with %s', async (_, layout) => {
    const both = await startBoth(layout);
    expect(isAbove(both, Date.now() + DAY_MS)).toBe(true);
    const startedMs = Date.now();
    const [old, next] = await issueBeside(both, AHEAD_MS);
    expect(both.old.decode(largest(old)).timestampMs).toBeGreaterThan(startedMs + AHEAD_MS / 2);
    expect(largest(old)).toBeLessThan(smallest(next));
  });

  // What is above the IDs of this moment alone is not above those of a process whose clock is ahead by a second.
  it('repeats IDs of the old namespace if its IDs are above those of this moment only (control)', async () => {
    const both = await startBoth({ ...OLD, epoch: EPOCH_MS - 1000 });
    expect(isAbove(both, Date.now())).toBe(true);
    expect(isAbove(both, Date.now() + DAY_MS)).toBe(false);
    const made = await issueBeside(both, 1000);
    expect(duplicatesIn(made).length).toBeGreaterThan(100);
  });
});
