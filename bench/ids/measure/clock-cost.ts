import { newGenerator } from '../generators.js';
import type { Settings } from '../settings.js';
import { median } from './median.js';
import { ownLoop } from './own-loop.js';
import { timePerCall } from './time-per-call.js';

/** What a look at the clock costs, and an ID with it. All in ns. */
export interface ClockCost {
  /** `Date.now()` in a loop. */
  readonly dateNowNs: number;
  /** One `Date.now()` per turn of the event loop. */
  readonly sparseDateNowNs: number;
  /** One ID as a bigint per turn of the event loop. */
  readonly sparseBigIntNs: number;
  /** One ID as a string per turn of the event loop. */
  readonly sparseStringNs: number;
  /** The goal for a sparse ID: {@link dateNowNs} × 1.2 + 60. */
  readonly sparseGoalNs: number;
}

const CALLS = 1000;
const SPARSE_ROUNDS = 9;

export async function measureClockCost(settings: Settings): Promise<ClockCost> {
  const loop = ownLoop(() => Date.now(), new Array<number>(CALLS));
  const dateNowNs = await timePerCall(loop, CALLS, settings.bursts);
  const generator = newGenerator();
  const [sparseDateNowNs = Number.NaN, sparseBigIntNs = Number.NaN, sparseStringNs = Number.NaN] =
    await sparseCosts(
      [() => Date.now(), () => generator.nextBigInt(), () => generator.nextId()],
      settings.sparseTurns,
    );
  return {
    dateNowNs,
    sparseDateNowNs,
    sparseBigIntNs,
    sparseStringNs,
    sparseGoalNs: dateNowNs * 1.2 + 60,
  };
}

/**
 * Cost of each call when it is the only one in its turn of the event loop, in ns: the time of so many turns with the
 * call less the time of as many turns without. A single call is too short to be timed by itself.
 */
async function sparseCosts(calls: readonly (() => unknown)[], turns: number): Promise<number[]> {
  const rounds = calls.map((): number[] => []);
  await timeOfTurns(nothing, turns);
  for (let round = 0; round < SPARSE_ROUNDS; round++) {
    for (const [index, call] of calls.entries()) {
      const without = await timeOfTurns(nothing, turns);
      const withCall = await timeOfTurns(call, turns);
      rounds[index]?.push((withCall - without) / turns);
    }
  }
  return rounds.map(median);
}

function nothing(): void {}

function timeOfTurns(call: () => unknown, turns: number): Promise<number> {
  return new Promise((resolve) => {
    const one = ownLoop(call, []);
    const startMs = performance.now();
    let left = turns;
    const turn = (): void => {
      one(1);
      if (--left > 0) setImmediate(turn);
      else resolve((performance.now() - startMs) * 1e6);
    };
    setImmediate(turn);
  });
}
