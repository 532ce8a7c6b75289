import { DEFAULT_EPOCH } from './bit-layout.js';
import type { Instant } from './bit-layout-options.js';
import { type FieldWidths, NARROWEST, WIDEST } from './layout-validation.js';
import { requireWholeNumber } from '../options/option-checks.js';
import { checkedOptions, type OptionRules, unchecked, wholeNumber } from '../options/option-rule.js';

/** What a bit layout must provide. */
export interface LayoutDemands {
  /**
   * How long the layout must last from the epoch, in years.
   * Bounds: 1 to 10,000.
   */
  years: number;
  /**
   * How many worker IDs you need at once, including those of rolling deploys and recent crashes.
   * Bounds: 1 to 2,147,483,648.
   */
  workers: number;
  /**
   * How many IDs one process generates per second at full load.
   * Bounds: 1 to 1,000,000,000, and at most 2,147,483,648 per tick.
   */
  idsPerSecondPerWorker: number;
  /**
   * Length of a tick, the unit of the timestamp.
   * Bounds: 1 to 60,000.
   *
   * @defaultValue `1`
   */
  tickMs?: number;
  /**
   * The instant at which timestamps begin.
   *
   * @defaultValue `'2024-01-01T00:00:00Z'`
   */
  epoch?: Instant;
}

/** Validated {@link LayoutDemands}, with the defaults filled in. */
export type CheckedDemands = Required<LayoutDemands>;

/** The mean year of the Gregorian calendar, 365.2425 days: exact in milliseconds. */
export const YEAR_MS = 31_556_952_000;
const MAX_IDS_PER_SECOND = 1_000_000_000;

export const DEMANDS = {
  years: wholeNumber(1, 10_000),
  workers: wholeNumber(1, 2 ** WIDEST.worker),
  idsPerSecondPerWorker: wholeNumber(1, MAX_IDS_PER_SECOND),
  tickMs: wholeNumber(1, 60_000).or(1),
  epoch: unchecked<Instant>().or(DEFAULT_EPOCH),
} satisfies OptionRules<LayoutDemands>;

/** Validates each demand on its own. @throws InvalidOptionError */
export function checkDemands(demands: LayoutDemands): CheckedDemands {
  const checked = checkedOptions('options', demands, DEMANDS);
  const most = Math.min(MAX_IDS_PER_SECOND, Math.floor((2 ** WIDEST.sequence * 1000) / checked.tickMs));
  requireWholeNumber('idsPerSecondPerWorker', checked.idsPerSecondPerWorker, 1, most);
  return checked;
}

/** Returns the narrowest fields that meet the demands. Their total can exceed the width of an ID. */
export function neededBits({ years, workers, idsPerSecondPerWorker, tickMs }: CheckedDemands): FieldWidths {
  const ticks = Math.ceil((years * YEAR_MS) / tickMs);
  const idsPerTick = Math.ceil((idsPerSecondPerWorker * tickMs) / 1000);
  return {
    timestamp: Math.max(NARROWEST.timestamp, bitsToCount(ticks)),
    worker: Math.max(NARROWEST.worker, bitsToCount(workers)),
    sequence: Math.max(NARROWEST.sequence, bitsToCount(idsPerTick)),
  };
}

/** Returns the smallest number of bits that holds this many values. */
function bitsToCount(values: number): number {
  let bits = 0;
  while (2 ** bits < values) bits++;
  return bits;
}

/** Returns the width of all fields together, in bits. */
export function totalBits({ timestamp, worker, sequence }: FieldWidths): number {
  return timestamp + worker + sequence;
}
