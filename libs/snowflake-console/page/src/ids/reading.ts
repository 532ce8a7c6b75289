import { type BitLayout, type DecodedFields, IdDecoder, type IdDoubt } from 'nestjs-snowflake/core';
import { type FoundId, isInRange } from './found-ids.js';

/** A possible problem of an ID. */
export type Warning = IdDoubt | 'negative' | 'tooLarge';

/** The fields and the warnings of an ID in a layout. */
export type ReadingFields = Pick<DecodedFields, 'timestampMs' | 'datacenterId' | 'workerId' | 'sequence'>;

/** An ID of the paste, decoded with a layout. */
export interface Reading extends FoundId {
  /** Counted from 1, in the order of the paste. */
  readonly position: number;
  /** Missing if the layout can't read the ID. */
  readonly fields?: ReadingFields;
  readonly warnings: readonly Warning[];
}

/** Reads the IDs as IDs of this layout. */
export function readingsOf(ids: readonly FoundId[], layout: BitLayout, nowMs: number): Reading[] {
  const decoder = new IdDecoder(layout);
  return ids.map((found, index) => readingOf(found, index + 1, decoder, nowMs));
}

/** Reads one ID. */
export function readingOf(
  { text, id, line }: FoundId,
  position: number,
  decoder: IdDecoder,
  nowMs: number,
): Reading {
  if (!isInRange(id)) {
    return { text, id, line, position, warnings: [id.startsWith('-') ? 'negative' : 'tooLarge'] };
  }
  const warnings = decoder.doubts(id, new Date(nowMs));
  if (warnings.includes('beyondEnd')) return { text, id, line, position, warnings };
  const { timestampMs, datacenterId, workerId, sequence } = decoder.decode(id);
  return { text, id, line, position, fields: { timestampMs, datacenterId, workerId, sequence }, warnings };
}
