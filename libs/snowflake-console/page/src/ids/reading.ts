import { BitLayout, type DecodedFields, IdDecoder } from 'nestjs-snowflake/core';
import { type FoundId, isInRange } from './found-ids.js';

/** What may be wrong with an ID. */
export type Warning = 'rounded' | 'future' | 'beyondEnd' | 'negative' | 'tooLarge';

/** An ID of the paste, and what a layout says about it. */
export interface Reading extends FoundId {
  /** Counted from 1, in the order of the paste. */
  readonly position: number;
  /** Missing if the layout can't read the ID. */
  readonly fields?: DecodedFields;
  readonly warnings: readonly Warning[];
}

/** Clocks differ a little, so an ID that was made just now is not from the future. */
const CLOCK_TOLERANCE_MS = 5_000;

/** Reads the IDs as IDs of this layout. */
export function readingsOf(ids: readonly FoundId[], layout: BitLayout, nowMs: number): Reading[] {
  const decoder = new IdDecoder(layout);
  return ids.map((found, index) => readingOf(found, index + 1, decoder, nowMs));
}

function readingOf(found: FoundId, position: number, decoder: IdDecoder, nowMs: number): Reading {
  if (!isInRange(found.id)) {
    return { ...found, position, warnings: [found.id.startsWith('-') ? 'negative' : 'tooLarge'] };
  }
  const rounded: Warning[] = looksRounded(found.id) ? ['rounded'] : [];
  try {
    const fields = decoder.decode(found.id).toJSON();
    const future: Warning[] = fields.timestampMs > nowMs + CLOCK_TOLERANCE_MS ? ['future'] : [];
    return { ...found, position, fields, warnings: [...rounded, ...future] };
  } catch {
    return { ...found, position, warnings: [...rounded, 'beyondEnd'] };
  }
}

/**
 * Returns whether the text is what JavaScript prints for a number above 2^53. An ID that was once a JavaScript number
 * always looks so. Another one does by chance: one in 64 of the IDs of 18 digits.
 */
export function looksRounded(id: string): boolean {
  const rounded = Number(id);
  return rounded > Number.MAX_SAFE_INTEGER && String(rounded) === id;
}
