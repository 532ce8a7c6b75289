import { setImmediate as nextTurn } from 'node:timers/promises';
import { newGenerator } from '../generators.js';
import type { Settings } from '../settings.js';
import { median } from './median.js';
import { ownLoop } from './own-loop.js';
import { timePerCall } from './time-per-call.js';

/** What a call costs that is the only one in its turn of the event loop, in ns. */
export interface SparseCost {
  readonly what: string;
  readonly medianNs: number;
  /** What calls come to that pay for others: one that opens a millisecond, one that grants a run of IDs. */
  readonly meanNs: number;
}

/** What a look at the clock costs, and an ID with it. */
export interface ClockCost {
  /** `Date.now()` in a loop, in ns. */
  readonly dateNowNs: number;
  /** Many turns to a millisecond. `Date.now()` is the first. */
  readonly perTurn: readonly SparseCost[];
  /** Each is the first of its millisecond as well. */
  readonly perMs: readonly SparseCost[];
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
  const perTurn = await sparseCosts(sparseCalls(), settings.sparseTurns, () => undefined);
  const perMs = await sparseCosts(sparseCalls(), settings.sparseTurns / 10, awaitNextMs);
  return { dateNowNs, perTurn, perMs };
}

function sparseCalls(): Record<string, () => unknown> {
  const forBigInts = newGenerator();
  const forStrings = newGenerator();
  return {
    'Date.now()': () => Date.now(),
    'nextBigInt()': () => forBigInts.nextBigInt(),
    'nextId()': () => forStrings.nextId(),
  };
}

function awaitNextMs(): void {
  const startMs = Date.now();
  while (Date.now() === startMs);
}

/**
 * Each call is the only one in its turn of the event loop. Median and mean are those of the stretch of turns in which the
 * machine was quickest. Looking at the watch is part of each time: a call that does nothing is subtracted from the others.
 */
async function sparseCosts(
  calls: Record<string, () => unknown>,
  turns: number,
  beforeTurns: () => void,
): Promise<SparseCost[]> {
  const loops = [() => 0, ...Object.values(calls)].map((call) => ownLoop(call, new Array<unknown>(1)));
  const stretches: number[][][] = [];
  for (let stretch = 0; stretch < STRETCHES; stretch++) {
    stretches.push(await timesOf(loops, turns / STRETCHES, beforeTurns));
  }
  const [emptyMedianNs = 0, ...mediansNs] = quickest(stretches.map((times) => times.map(median)));
  const [emptyMeanNs = 0, ...meansNs] = quickest(stretches.map((times) => times.map(mean)));
  return Object.keys(calls).map((what, at) => ({
    what,
    medianNs: (mediansNs[at] ?? Number.NaN) - emptyMedianNs,
    meanNs: (meansNs[at] ?? Number.NaN) - emptyMeanNs,
  }));
}

/** In ns: of each loop, how long each turn took. */
async function timesOf(
  loops: readonly ((calls: number) => void)[],
  turns: number,
  beforeTurns: () => void,
): Promise<number[][]> {
  const times = loops.map((): number[] => []);
  for (let turn = 0; turn < turns; turn++) {
    beforeTurns();
    for (const [index, loop] of loops.entries()) {
      await nextTurn();
      const startMs = performance.now();
      loop(1);
      times[index]?.push((performance.now() - startMs) * 1e6);
    }
  }
  return times;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const mean = (values: readonly number[]): number => sum(values) / values.length;
const quickest = (stretches: readonly number[][]): number[] =>
  stretches.reduce((least, next) => (sum(next) < sum(least) ? next : least));
