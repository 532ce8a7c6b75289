import { setImmediate as nextTurn } from 'node:timers/promises';
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
}

const CALLS = 1000;
const STRETCHES = 20;

/** What an ID may cost that is the only one in its turn of the event loop, in ns: one look at the clock and a little. */
export function sparseGoalNs(dateNowNs: number): number {
  return dateNowNs * 1.2 + 60;
}

export async function measureClockCost(settings: Settings): Promise<ClockCost> {
  const loop = ownLoop(() => Date.now(), new Array<number>(CALLS));
  const dateNowNs = await timePerCall(loop, CALLS, settings.bursts);
  const forBigInts = newGenerator();
  const forStrings = newGenerator();
  const [emptyNs = 0, sparseDateNowNs = 0, sparseBigIntNs = 0, sparseStringNs = 0] = await timesPerTurn(
    [() => 0, () => Date.now(), () => forBigInts.nextBigInt(), () => forStrings.nextId()],
    settings.sparseTurns,
  );
  return {
    dateNowNs,
    sparseDateNowNs: sparseDateNowNs - emptyNs,
    sparseBigIntNs: sparseBigIntNs - emptyNs,
    sparseStringNs: sparseStringNs - emptyNs,
  };
}

/**
 * Median time of each call in ns, each the only one in its turn of the event loop, in the stretch of turns in which the
 * machine was quickest. Looking at the watch is part of it: one of the calls does nothing, to be subtracted from the
 * others.
 */
async function timesPerTurn(calls: readonly (() => unknown)[], turns: number): Promise<number[]> {
  const loops = calls.map((call) => ownLoop(call, new Array<unknown>(1)));
  let quickest: number[] = [];
  for (let stretch = 0; stretch < STRETCHES; stretch++) {
    const times = await mediansOf(loops, turns / STRETCHES);
    if (stretch === 0 || sum(times) < sum(quickest)) quickest = times;
  }
  return quickest;
}

async function mediansOf(loops: readonly ((calls: number) => void)[], turns: number): Promise<number[]> {
  const times = loops.map((): number[] => []);
  for (let turn = 0; turn < turns; turn++) {
    for (const [index, loop] of loops.entries()) {
      await nextTurn();
      const startMs = performance.now();
      loop(1);
      times[index]?.push((performance.now() - startMs) * 1e6);
    }
  }
  return times.map(median);
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
