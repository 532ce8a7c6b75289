import { setTimeout as delay } from 'node:timers/promises';
import type { SnowflakeIdMaker } from 'nestjs-snowflake/standalone';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { startRedis, type RedisServer } from '../support/servers/index.js';
import { MakerPool } from './support/maker-pool.js';
import { SteppedClock } from './support/stepped-clock.js';

/** Less than maxSkewMs, so that no clock is corrected. */
const APART_MS = 400;
const ROUNDS = 300;
const MAX_DRIFT_MS = 1000;

let server: RedisServer;
let namespaces = 0;
const pool = new MakerPool();

beforeAll(async () => {
  server = await startRedis();
});
afterEach(() => pool.stopAll());
afterAll(() => server.stop());

/** Two processes of one namespace, on clocks of their own. */
async function startOn(
  first: SteppedClock,
  second: SteppedClock,
): Promise<[SnowflakeIdMaker, SnowflakeIdMaker]> {
  const namespace = `order-${namespaces++}`;
  const start = (clock: SteppedClock): Promise<SnowflakeIdMaker> => {
    const store = redisLeaseStore({ url: server.url, namespace });
    return pool.start({ store, lease: { possibleLoss: 'ignore' } }, { clock });
  };
  return [await start(first), await start(second)];
}

/** The clock of the second one is ahead by so much. */
function startTwo(aheadMs: number): Promise<[SnowflakeIdMaker, SnowflakeIdMaker]> {
  const ahead = new SteppedClock();
  ahead.step(aheadMs);
  return startOn(new SteppedClock(), ahead);
}

/** An ID that was made between two readings of the clock. */
interface Made {
  readonly id: bigint;
  readonly afterMs: number;
  readonly beforeMs: number;
}

/** IDs of both, by turns, over some time. */
async function madeByTurns(makers: readonly SnowflakeIdMaker[]): Promise<Made[]> {
  const made: Made[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    for (const maker of makers) {
      const afterMs = Date.now();
      const id = maker.nextBigInt();
      made.push({ id, afterMs, beforeMs: Date.now() });
    }
    await delay(3);
  }
  return made;
}

/** By how much, at the least, an ID was made before another one that sorts before it; the most of all pairs. */
function worstDisorderMs(made: readonly Made[]): number {
  const sorted = [...made].sort((a, b) => (a.id < b.id ? -1 : 1));
  let worstMs = 0;
  let latestMs = -Infinity;
  for (const { afterMs, beforeMs } of sorted) {
    worstMs = Math.max(worstMs, latestMs - beforeMs);
    latestMs = Math.max(latestMs, afterMs);
  }
  return worstMs;
}

describe('the IDs of two processes [promise: order]', () => {
  it('sorts IDs of two processes by time if their clocks agree', async () => {
    const makers = await startTwo(0);
    expect(makers.map((maker) => maker.status().workerId)).toEqual([0, 1]);
    // Within a millisecond the worker ID decides.
    expect(worstDisorderMs(await madeByTurns(makers))).toBeLessThanOrEqual(1);
  });

  it('sorts IDs of two processes by time as exactly as their clocks agree', async () => {
    const makers = await startTwo(APART_MS);
    const made = await madeByTurns(makers);
    expect(makers.map((maker) => maker.status().clockCorrectionMs)).toEqual([0, 0]);
    const worstMs = worstDisorderMs(made);
    expect(worstMs).toBeLessThanOrEqual(APART_MS);
    // Control: clocks that disagree do show.
    expect(worstMs).toBeGreaterThan(APART_MS / 2);
  });

  it('puts the IDs of a burst ahead of other IDs by at most maxDriftMs', async () => {
    const clock = new SteppedClock();
    const [busy, calm] = await startOn(clock, clock);
    // A machine that takes longer for the burst than its IDs last would catch up with them.
    clock.stand();
    const burst = busy.nextBigInts(2_000_000);
    const id = calm.nextBigInt();
    const aheadMs = busy.decode(burst.at(-1)!).timestampMs - calm.decode(id).timestampMs;
    expect(id).toBeLessThan(burst.at(-1)!);
    expect(aheadMs).toBeGreaterThan(0);
    expect(aheadMs).toBeLessThanOrEqual(MAX_DRIFT_MS);
    clock.goOn();
  });
});
