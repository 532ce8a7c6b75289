import { type BitLayout, type DecodedFields, IdDecoder } from 'nestjs-snowflake/core';
import { type FoundId, isInRange } from './found-ids.js';

/** What may be wrong with an ID. */
export type Warning = 'rounded' | 'future' | 'early' | 'beyondEnd' | 'negative' | 'tooLarge';

/** What a layout says about an ID. */
export type ReadingFields = Pick<DecodedFields, 'timestampMs' | 'datacenterId' | 'workerId' | 'sequence'>;

/** An ID of the paste, and what a layout says about it. */
export interface Reading extends FoundId {
  /** Counted from 1, in the order of the paste. */
  readonly position: number;
  /** Missing if the layout can't read the ID. */
  readonly fields?: ReadingFields;
  readonly warnings: readonly Warning[];
}

/** Clocks differ a little, so an ID that was made just now is not from the future. */
const CLOCK_TOLERANCE_MS = 5_000;
/** Counters of other systems decode to the first seconds of a layout. */
const EARLY_MS = 86_400_000;

/** Reads the IDs as IDs of this layout. */
export function readingsOf(ids: readonly FoundId[], layout: BitLayout, nowMs: number): Reading[] {
  const decoder = new IdDecoder(layout);
  return ids.map((found, index) => readingOf(found, index + 1, decoder, { epochMs: layout.epochMs, nowMs }));
}

/** Reads one ID. */
export function readingOf(
  { text, id, line }: FoundId,
  position: number,
  decoder: IdDecoder,
  { epochMs, nowMs }: { readonly epochMs: number; readonly nowMs: number },
): Reading {
  if (!isInRange(id)) {
    return { text, id, line, position, warnings: [id.startsWith('-') ? 'negative' : 'tooLarge'] };
  }
  const warnings: Warning[] = looksRounded(id) ? ['rounded'] : [];
  try {
    const { timestampMs, datacenterId, workerId, sequence } = decoder.decode(id);
    if (timestampMs > nowMs + CLOCK_TOLERANCE_MS) warnings.push('future');
    else if (timestampMs < epochMs + EARLY_MS) warnings.push('early');
    return { text, id, line, position, fields: { timestampMs, datacenterId, workerId, sequence }, warnings };
  } catch {
    return { text, id, line, position, warnings: [...warnings, 'beyondEnd'] };
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
