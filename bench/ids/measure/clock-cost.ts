import { setImmediate as nextTurn } from 'node:timers/promises';
import { median } from '../../support/quantile.js';
import { newGenerator } from '../generators.js';
import type { Settings } from '../settings.js';
import { ownLoop } from './own-loop.js';
import { timePerCall } from './time-per-call.js';

/** The median cost of a call that is the only one in its turn of the event loop, in ns. */
export interface SparseCost {
  readonly what: string;
  readonly medianNs: number;
}

/** The cost of reading the clock, and of an ID that reads it. */
export interface ClockCost {
  /** `Date.now()` in a loop, in ns. */
  readonly dateNowNs: number;
  /** `Date.now()` is the first. */
  readonly perTurn: readonly SparseCost[];
}

const CALLS = 1000;
/** Turns per stretch. Stretches are short, so that some of them are undisturbed. */
const STRETCH_TURNS = 1000;
/**
 * Warm-up turns in each round: V8 discards code that was not called for a few garbage collections, which the rounds of the
 * rivals force, and compiles it again after some thousand calls.
 */
const WARM_UP_TURNS = 2000;
/** The share of the fastest stretches, which count. */
const QUICKEST = 1 / 4;

/**
 * Measured round after round among the rivals, as they are: a machine that others share is at half its speed for minutes.
 *
 * Those stretches count in which the machine was quickest with all calls together, so that a call and its bound met the
 * same machine. Reading the time is part of each time, so a call that does nothing is subtracted from the others.
 */
export class ClockCostRounds {
  private readonly loopTimes: number[] = [];
  private readonly loop = ownLoop(() => Date.now(), new Array<number>(CALLS));
  private readonly calls = sparseCalls();
  private readonly sparseLoops = [() => 0, ...Object.values(this.calls)].map((call) =>
    ownLoop(call, new Array<unknown>(1)),
  );
  /** Of each stretch, the median time of each call; the call that does nothing is the first. */
  private readonly stretches: number[][] = [];

  constructor(private readonly settings: Settings) {}

  async measureRound(): Promise<void> {
    this.loopTimes.push(await timePerCall(this.loop, CALLS, this.settings.bursts));
    const turns = Math.ceil(this.settings.sparseTurns / this.settings.rounds);
    await mediansOf(this.sparseLoops, Math.min(turns, WARM_UP_TURNS));
    for (let left = turns; left > 0; left -= STRETCH_TURNS) {
      this.stretches.push(await mediansOf(this.sparseLoops, Math.min(left, STRETCH_TURNS)));
    }
  }

  get cost(): ClockCost {
    const sorted = this.stretches.toSorted((a, b) => sum(a) - sum(b));
    const counted = sorted.slice(0, Math.ceil(sorted.length * QUICKEST));
    return {
      dateNowNs: Math.min(...this.loopTimes),
      perTurn: Object.keys(this.calls).map((what, at) => ({
        what,
        medianNs: median(counted.map(([emptyNs = 0, ...ns]) => (ns[at] ?? Number.NaN) - emptyNs)),
      })),
    };
  }
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

function sparseCalls(): Record<string, () => unknown> {
  const forBigInts = newGenerator();
  const forStrings = newGenerator();
  return {
    'Date.now()': () => Date.now(),
    'nextBigInt()': () => forBigInts.nextBigInt(),
    'nextId()': () => forStrings.nextId(),
  };
}

/** Returns the median time of each loop's single call in ns. */
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
