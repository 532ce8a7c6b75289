import type { DecodedFields } from './decoded-id.js';

/**
 * Why an ID may not be what it seems.
 *
 * - `rounded`: looks like a large number that JavaScript rounded.
 * - `future`: has a time in the future.
 * - `early`: has a time so early that it is probably a counter.
 * - `beyondEnd`: has a time after the end of the layout.
 */
export type IdDoubt = 'rounded' | 'future' | 'early' | 'beyondEnd';

/** Clocks differ a little, so an ID that was generated just now is not from the future. */
const CLOCK_TOLERANCE_MS = 5000;
/** Counters of other systems, and short words, decode to the first hours of a layout. */
const EARLY_MS = 86_400_000;

/** Returns what is suspicious about an ID. @param timestampMs absent if the ID is beyond the end of the layout */
export function doubtsAbout(
  { id, timestampMs }: Pick<DecodedFields, 'id'> & Partial<Pick<DecodedFields, 'timestampMs'>>,
  epochMs: number,
  nowMs: number,
): IdDoubt[] {
  const doubts: IdDoubt[] = looksRounded(id) ? ['rounded'] : [];
  if (timestampMs === undefined) return [...doubts, 'beyondEnd'];
  const earlyUntilMs = epochMs + EARLY_MS;
  if (timestampMs > nowMs + CLOCK_TOLERANCE_MS) doubts.push('future');
  // On the first day of a layout, every ID is early.
  else if (timestampMs < earlyUntilMs && nowMs >= earlyUntilMs) doubts.push('early');
  return doubts;
}

/**
 * Returns whether the ID is what JavaScript prints for a number above 2^53. An ID that was once a JavaScript number always
 * looks so. Another one does by chance: one in 64 of the IDs of 18 digits.
 */
function looksRounded(id: string): boolean {
  const rounded = Number(id);
  return rounded > Number.MAX_SAFE_INTEGER && String(rounded) === id;
}
