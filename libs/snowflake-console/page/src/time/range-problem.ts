import { type BitLayout, IdDecoder, type IdRange } from 'nestjs-snowflake/core';

/** Why a time range has no IDs. */
export type RangeProblem = 'incomplete' | 'equal' | 'inverted' | 'beforeEpoch' | 'afterEnd' | 'withinTick';

/** The IDs of a time range, or why there are none. */
export type RangeOutcome =
  | { readonly range: IdRange; readonly beginsBeforeEpoch: boolean }
  | { readonly problem: RangeProblem };

/** Returns the IDs from one instant up to another, which is excluded. */
export function rangeOutcome(
  layout: BitLayout,
  fromMs: number | undefined,
  toMs: number | undefined,
): RangeOutcome {
  if (fromMs === undefined || toMs === undefined) return { problem: 'incomplete' };
  if (toMs === fromMs) return { problem: 'equal' };
  if (toMs < fromMs) return { problem: 'inverted' };
  if (toMs <= layout.epochMs) return { problem: 'beforeEpoch' };
  // The ID that follows the range has to fit into the layout, too.
  if (layout.tickAt(toMs + layout.tickMs - 1) > layout.maxTick) return { problem: 'afterEnd' };
  const range = new IdDecoder(layout).idRange(new Date(fromMs), new Date(toMs));
  return range.first === range.before
    ? { problem: 'withinTick' }
    : { range, beginsBeforeEpoch: fromMs < layout.epochMs };
}
