import type { ChainView } from './segment-chain.js';

/** What a {@link StepRule} knows when it decides. */
export interface StepView extends ChainView {
  /** Numbers issued per millisecond at present. */
  readonly perMs: number;
  readonly nowMs: number;
  /** The step in the table. */
  readonly tableStep: number;
  /** Whether a call has found no number since the last claim began. */
  readonly isStarved: boolean;
}

/** Decides when to claim a segment, and how long it is. One per tag and process. */
export interface StepRule {
  /** Returns how many numbers to claim now; 0 if enough are at hand. */
  claimSize(view: StepView): number;
  /** Records that a claim of this size was granted, in full or in part. */
  granted(size: number, nowMs: number): void;
  /** Returns how many numbers may be issued before it must decide again. */
  checkAfter(view: StepView): number;
}

/** Bounds of {@link timeRule}. */
export interface TimeRuleOptions {
  readonly outageMs: number;
  readonly minStep: number;
  readonly maxStep: number;
  readonly maxHeld: number;
}

/** Claims when less than this share of the wanted numbers is at hand. More than 1, because a claim takes time. */
const LOW = 1.1;
/** Fills up to this share. */
const FULL = 1.25;
/** How much larger a claim is after a call that found no number. A minute's average shows a quick start too late. */
const STARVED_GROWTH = 20;
/** Up to this size. Then the numbers last until the average shows the rate. */
const STARVED_STEP = 20_000;

/**
 * Keeps enough numbers for an outage of `outageMs` at the present rate. The size of a claim at most doubles from one to
 * the next, except for the first ones of a tag that starts quickly, and falls at once.
 */
export function timeRule({ outageMs, minStep, maxStep, maxHeld }: TimeRuleOptions): StepRule {
  let lastSize = 0;
  return {
    claimSize({ left, perMs, isStarved }) {
      const wanted = perMs * outageMs;
      const least = isStarved
        ? Math.max(minStep, Math.min(STARVED_GROWTH * lastSize, STARVED_STEP))
        : minStep;
      if (left >= Math.max(LOW * wanted, least / 2)) return 0;
      const missing = Math.ceil(FULL * wanted) - left;
      const size = Math.min(Math.max(least, Math.min(missing, 2 * lastSize)), maxStep);
      return Math.max(0, Math.min(size, maxHeld - left));
    },
    granted(size) {
      lastSize = size;
    },
    checkAfter: ({ left }) => Math.floor(left / 2),
  };
}

/** Leaf loads the next segment when less than this share of the present one is left. */
const LEAF_LEFT = 0.9;
const LEAF_DURATION_MS = 15 * 60_000;
const LEAF_MAX_STEP = 1_000_000;

/**
 * The rule of Leaf-segment: claims a second segment when 10 % of the first is used. Doubles the step if a segment lasted
 * less than 15 minutes, halves it if it lasted 30 or more, within the table's step and 1,000,000.
 *
 * Source: `SegmentIDGenImpl` of Meituan-Dianping/Leaf.
 */
export function leafRule(): StepRule {
  let step = 0;
  let loads = 0;
  let sinceMs = 0;
  return {
    claimSize(view) {
      if (!isNextDue(view)) return 0;
      // The first two loads use the step of the table.
      if (loads < 2) return view.tableStep;
      const lastedMs = view.nowMs - sinceMs;
      if (lastedMs < LEAF_DURATION_MS) return 2 * step > LEAF_MAX_STEP ? step : 2 * step;
      if (lastedMs < 2 * LEAF_DURATION_MS) return step;
      return Math.max(Math.floor(step / 2), view.tableStep);
    },
    granted(size, nowMs) {
      step = size;
      loads += 1;
      sinceMs = nowMs;
    },
    checkAfter: untilNextIsDue,
  };
}

/** Claims `step` numbers at a time, and the next segment when 10 % of the one in use is used. */
export function fixedRule(step: number): StepRule {
  return {
    claimSize: (view) => (isNextDue(view) ? step : 0),
    granted: () => undefined,
    checkAfter: untilNextIsDue,
  };
}

function isNextDue({ waiting, leftOfCurrent, sizeOfCurrent }: ChainView): boolean {
  return waiting === 0 && leftOfCurrent <= LEAF_LEFT * sizeOfCurrent;
}

function untilNextIsDue({ leftOfCurrent, sizeOfCurrent }: ChainView): number {
  return Math.max(0, Math.ceil(leftOfCurrent - LEAF_LEFT * sizeOfCurrent));
}
