import { BitLayout } from './bit-layout.js';
import type { BitLayoutOptions } from './bit-layout-options.js';
import { InvalidOptionError } from './errors.js';
import {
  type CheckedDemands,
  checkDemands,
  type FieldWidths,
  type LayoutDemands,
  NARROWEST,
  neededBits,
  totalBits,
  WIDEST,
  YEAR_MS,
} from './layout-demands.js';

/** A layout that holds what was asked for, and what it holds. */
export interface LayoutSuggestion {
  /** To pass as `layout`. */
  readonly layout: Readonly<
    Required<Pick<BitLayoutOptions, 'timestampBits' | 'workerBits' | 'sequenceBits' | 'tickMs'>>
  >;
  /** To pass as `epoch`: the one that was given, as an ISO 8601 string. */
  readonly epoch: string;
  /** The narrowest fields that hold the demands. */
  readonly neededBits: FieldWidths;
  /** What the needed bits leave of 63. */
  readonly spareBits: number;
  /** Where the spare bits went: {@link layout} has them on top of {@link neededBits}. */
  readonly spareBitsOf: FieldWidths;
  /** How long the layout lasts, from the epoch on, in years of 365.2425 days. */
  readonly lifetimeYears: number;
  /** The last instant that the layout can hold. */
  readonly expiresAt: Date;
  /** How many worker IDs there are. */
  readonly workerIds: number;
  /** How many IDs a worker ID can issue per second, on and on. Rounded down. */
  readonly idsPerSecondPerWorker: number;
  /** The same for people: one line for each field, and one for the spare bits. */
  readonly explanation: string;
}

const ID_BITS = 63;
/** Who gets a spare bit next: bursts come first, then processes, and the lifetime was mostly a generous guess. */
const TURNS = ['sequence', 'worker', 'timestamp'] as const;
/** Units of the timestamp to try when the one given does not do. */
const LONGER_TICKS_MS = [10, 100, 1000];

/**
 * Finds a bit layout that lasts long enough, for enough workers, with enough IDs.
 *
 * Each field gets the bits that its demand needs. What then is left of 63 goes one by one to the sequence, the worker
 * ID and the timestamp, in turn, since each demand is a guess that may turn out too small.
 *
 * @throws InvalidOptionError when a demand is out of bounds, or when 63 bits cannot hold all of them; the message then
 * says how much would fit if one of them were given up
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
    ways.length > 0 ? `Ask for ${ways.join(', or ')}.` : 'Ask for less of at least two of them.',
  );
}

/** What each demand could be if the other two stay. */
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

/** A longer tick saves bits where a millisecond has less than the two IDs of the narrowest sequence. */
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
    `reach beyond the last date there is, ${lastDate.toISOString()}`,
    'Ask for fewer years, or use an earlier epoch.',
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
