import { BitLayout } from './bit-layout.js';
import type { BitLayoutOptions } from './bit-layout-options.js';
import { InvalidOptionError } from '../errors/input-errors.js';
import {
  type CheckedDemands,
  checkDemands,
  type LayoutDemands,
  neededBits,
  totalBits,
  YEAR_MS,
} from './layout-demands.js';
import { type FieldWidths, NARROWEST, WIDEST } from './layout-validation.js';

/** A layout that meets the demands, and its capacity. */
export interface LayoutSuggestion {
  /** Widths and tick to pass as the option `layout`. */
  readonly layout: Readonly<
    Required<Pick<BitLayoutOptions, 'timestampBits' | 'workerBits' | 'sequenceBits' | 'tickMs'>>
  >;
  /** Epoch of the demands, as an ISO 8601 string to pass as the option `epoch`. */
  readonly epoch: string;
  /** Widths of the narrowest fields that meet the demands. */
  readonly neededBits: FieldWidths;
  /** Number of the 63 bits that the demands don't need. */
  readonly spareBits: number;
  /** How many of the spare bits each field of {@link layout} has in addition to {@link neededBits}. */
  readonly spareBitsOf: FieldWidths;
  /** How long the layout lasts, counted from the epoch in years of 365.2425 days. */
  readonly lifetimeYears: number;
  /** The last instant that the layout can hold. */
  readonly expiresAt: Date;
  /** Number of worker IDs. */
  readonly workerIds: number;
  /** Number of IDs per second that one worker ID can issue continuously, rounded down. */
  readonly idsPerSecondPerWorker: number;
  /** Describes the layout for people: one line per field, and one for the spare bits. */
  readonly explanation: string;
}

const ID_BITS = 63;
/** Order in which fields get spare bits: bursts first, then processes. The lifetime mostly was a generous guess. */
const TURNS = ['sequence', 'worker', 'timestamp'] as const;
/** Ticks to suggest if the demands don't fit with the given one. */
const LONGER_TICKS_MS = [10, 100, 1000];

/**
 * Returns a bit layout that provides the demanded lifetime, worker IDs and IDs per second.
 *
 * Each field gets the bits that its demand needs. The rest of the 63 bits goes one by one to the sequence, the worker
 * ID and the timestamp, in turn, because each demand is an estimate that can turn out too low.
 *
 * @throws InvalidOptionError if a demand is out of bounds, or the demands together need more than 63 bits; the message
 * then names the largest value of each demand that would fit
 * @example
 * ```ts
 * const { layout, epoch, explanation } = suggestLayout({ years: 50, workers: 200, idsPerSecondPerWorker: 1_000 });
 * console.log(explanation); // one line per field
 * console.log({ layout, epoch }); // options of SnowflakeModule
 * ```
 */
export function suggestLayout(demands: LayoutDemands): LayoutSuggestion {
  const checked = checkDemands(demands);
  const needed = neededBits(checked);
  const spareBits = ID_BITS - totalBits(needed);
  if (spareBits < 0) throw doNotFit(checked, needed);
  const widths = widened(needed, spareBits);
  const options = {
    timestampBits: widths.timestamp,
    workerBits: widths.worker,
    sequenceBits: widths.sequence,
    tickMs: checked.tickMs,
  };
  const layout = new BitLayout(options, checked.epoch);
  const lifetimeMs = layout.expiresAt.getTime() + 1 - layout.epochMs;
  if (lifetimeMs < checked.years * YEAR_MS) throw beyondDates(checked.years, layout.expiresAt);
  const facts = {
    layout: options,
    epoch: new Date(layout.epochMs).toISOString(),
    neededBits: needed,
    spareBits,
    spareBitsOf: {
      timestamp: widths.timestamp - needed.timestamp,
      worker: widths.worker - needed.worker,
      sequence: widths.sequence - needed.sequence,
    },
    lifetimeYears: lifetimeMs / YEAR_MS,
    expiresAt: layout.expiresAt,
    workerIds: layout.maxWorkerId + 1,
    idsPerSecondPerWorker: Math.floor((layout.idsPerTick * 1000) / layout.tickMs),
  };
  return { ...facts, explanation: explain(checked, facts) };
}

function widened(needed: FieldWidths, spareBits: number): FieldWidths {
  const widths = { ...needed };
  let left = spareBits;
  while (left > 0) {
    for (const field of TURNS) {
      if (left === 0 || widths[field] === WIDEST[field]) continue;
      widths[field]++;
      left--;
    }
  }
  return widths;
}

function doNotFit(demands: CheckedDemands, needed: FieldWidths): InvalidOptionError {
  const ways = [...smallerDemands(demands, needed), ...longerTick(demands)];
  return new InvalidOptionError(
    'years, workers, idsPerSecondPerWorker',
    [demands.years, demands.workers, demands.idsPerSecondPerWorker],
    `need ${needed.timestamp} + ${needed.worker} + ${needed.sequence} bits, and an ID has ${ID_BITS}`,
    ways.length > 0 ? `Use ${ways.join(', or ')}.` : 'Reduce at least two of them.',
  );
}

/** Returns, for each demand, the largest value that fits if the other two stay the same. */
function smallerDemands({ tickMs }: CheckedDemands, needed: FieldWidths): string[] {
  const leftFor = (field: keyof FieldWidths): number => ID_BITS - totalBits(needed) + needed[field];
  const years = Math.floor((2 ** leftFor('timestamp') * tickMs) / YEAR_MS);
  const idsPerSecond = Math.floor((2 ** leftFor('sequence') * 1000) / tickMs);
  return [
    ...(leftFor('timestamp') >= NARROWEST.timestamp && years > 0 ? [`years: ${years}`] : []),
    ...(leftFor('worker') >= NARROWEST.worker ? [`workers: ${2 ** leftFor('worker')}`] : []),
    ...(leftFor('sequence') >= NARROWEST.sequence && idsPerSecond > 0
      ? [`idsPerSecondPerWorker: ${idsPerSecond}`]
      : []),
  ];
}

/** Returns a longer tick that fits, if any. It saves bits if a tick needs fewer IDs than the narrowest sequence has. */
function longerTick(demands: CheckedDemands): string[] {
  const tickMs = LONGER_TICKS_MS.find(
    (longer) => longer > demands.tickMs && totalBits(neededBits({ ...demands, tickMs: longer })) <= ID_BITS,
  );
  return tickMs === undefined ? [] : [`tickMs: ${tickMs}`];
}

function beyondDates(years: number, lastDate: Date): InvalidOptionError {
  return new InvalidOptionError(
    'years',
    years,
    `would end after ${lastDate.toISOString()}, the last date that JavaScript can represent`,
    'Use fewer years or an earlier epoch.',
  );
}

function explain(demands: CheckedDemands, facts: Omit<LayoutSuggestion, 'explanation'>): string {
  const { layout, neededBits: needed, spareBitsOf: spare } = facts;
  const years = facts.lifetimeYears.toFixed(1);
  const end = facts.expiresAt.toISOString().slice(0, 10);
  const tick = layout.tickMs === 1 ? 'ms' : `${layout.tickMs} ms`;
  return [
    `timestamp ${layout.timestampBits} bits of ${tick}: ${years} years, until ${end} (${demands.years} years need ${needed.timestamp} bits)`,
    `worker ID ${layout.workerBits} bits: ${facts.workerIds} worker IDs (${demands.workers} need ${needed.worker} bits)`,
    `sequence ${layout.sequenceBits} bits: ${facts.idsPerSecondPerWorker} IDs per second and worker ID (${demands.idsPerSecondPerWorker} need ${needed.sequence} bits)`,
    `spare ${facts.spareBits} bits: ${spare.sequence} to the sequence, ${spare.worker} to the worker ID, ${spare.timestamp} to the timestamp`,
  ].join('\n');
}
