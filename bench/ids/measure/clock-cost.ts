import { setImmediate as nextTurn } from 'node:timers/promises';
import { newGenerator } from '../generators.js';
import type { Settings } from '../settings.js';
import { median } from './median.js';
import { ownLoop } from './own-loop.js';
import { timePerCall } from './time-per-call.js';

/** The cost of a call that is the only one in its turn of the event loop, in ns. */
export interface SparseCost {
  readonly what: string;
  readonly medianNs: number;
  /** What calls come to that pay for others: one that opens a millisecond, one that grants a run of IDs. */
  readonly meanNs: number;
}

/** The cost of reading the clock, and of an ID that reads it. */
export interface ClockCost {
  /** `Date.now()` in a loop, in ns. */
  readonly dateNowNs: number;
  /** Many turns to a millisecond. `Date.now()` is the first. */
  readonly perTurn: readonly SparseCost[];
  /** Each is the first of its millisecond as well. */
  readonly perMs: readonly SparseCost[];
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

/** What an ID may cost that is the only one in its turn of the event loop, in ns: one look at the clock and a little. */
export function sparseGoalNs(dateNowNs: number): number {
  return dateNowNs * 1.2 + 60;
}

/**
 * Measured round after round among the rivals, as they are: a machine that others share is at half its speed for minutes.
 */
export class ClockCostRounds {
  private readonly loopTimes: number[] = [];
  private readonly loop = ownLoop(() => Date.now(), new Array<number>(CALLS));
  private readonly perTurn: SparseRounds;
  private readonly perMs: SparseRounds;

  constructor(private readonly settings: Settings) {
    const turns = Math.ceil(settings.sparseTurns / settings.rounds);
    const calls = { ...sparseCalls(), 'Date.now() and any 18 digits': eighteenDigits };
    const warmUpTurns = Math.min(turns, WARM_UP_TURNS);
    this.perTurn = new SparseRounds(calls, turns, () => undefined, warmUpTurns);
    this.perMs = new SparseRounds(sparseCalls(), Math.ceil(turns / 10), awaitNextMs, 0);
  }

  async measureRound(): Promise<void> {
    this.loopTimes.push(await timePerCall(this.loop, CALLS, this.settings.bursts));
    await this.perTurn.measureRound();
    await this.perMs.measureRound();
  }

  get cost(): ClockCost {
    return {
      dateNowNs: Math.min(...this.loopTimes),
      perTurn: this.perTurn.costs,
      perMs: this.perMs.costs,
    };
  }
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

/** The least that an ID as a string can cost. What is one piece of memory cannot be had for less in Node. */
function eighteenDigits(): string {
  const code = 48 + (Date.now() & 7);
  // oxfmt-ignore
  return String.fromCharCode(
    code, code, code, code, code, code, code, code, code, code, code, code, code, code, code, code, code, code,
  );
}

function awaitNextMs(): void {
  const startMs = Date.now();
  while (Date.now() === startMs);
}

/**
 * Each call is the only one in its turn of the event loop. Those stretches count in which the machine was quickest with
 * all calls together, so that a call and its bound met the same machine. Looking at the watch is part of each time: a
 * call that does nothing is subtracted from the others.
 */
class SparseRounds {
  private readonly names: readonly string[];
  private readonly loops: readonly ((calls: number) => void)[];
  private readonly stretches: number[][][] = [];

  constructor(
    calls: Record<string, () => unknown>,
    private readonly turns: number,
    private readonly beforeTurns: () => void,
    private readonly warmUpTurns: number,
  ) {
    this.names = Object.keys(calls);
    this.loops = [() => 0, ...Object.values(calls)].map((call) => ownLoop(call, new Array<unknown>(1)));
  }

  async measureRound(): Promise<void> {
    await timesOf(this.loops, this.warmUpTurns, this.beforeTurns);
    for (let left = this.turns; left > 0; left -= STRETCH_TURNS) {
      this.stretches.push(await timesOf(this.loops, Math.min(left, STRETCH_TURNS), this.beforeTurns));
    }
  }

  get costs(): SparseCost[] {
    const mediansNs = inQuickest(this.stretches, median);
    const meansNs = inQuickest(this.stretches, mean);
    return this.names.map((what, at) => ({
      what,
      medianNs: mediansNs[at] ?? Number.NaN,
      meanNs: meansNs[at] ?? Number.NaN,
    }));
  }
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

/** @returns of each call what `average` makes of its turns, without the call that does nothing, which is the first */
function inQuickest(
  stretches: readonly number[][][],
  average: (times: readonly number[]) => number,
): number[] {
  const averages = stretches.map((times) => times.map(average)).toSorted((a, b) => sum(a) - sum(b));
  const counted = averages.slice(0, Math.ceil(averages.length * QUICKEST));
  const costs = counted.map(([emptyNs = 0, ...callsNs]) => callsNs.map((callNs) => callNs - emptyNs));
  return (costs[0] ?? []).map((_, call) => median(costs.map((ofStretch) => ofStretch[call] ?? Number.NaN)));
}
