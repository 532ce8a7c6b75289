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
  /** How often the text holds the ID. */
  readonly times: number;
  /** Missing if the layout can't read the ID. */
  readonly fields?: ReadingFields;
  readonly warnings: readonly Warning[];
  /** Whether it looks rounded, which is no reason to warn. */
  readonly mayBeRounded?: true;
}

/** Reads the IDs as IDs of this layout. */
export function readingsOf(ids: readonly FoundId[], layout: BitLayout, nowMs: number): Reading[] {
  const decoder = new IdDecoder(layout);
  return ids.map((found, index) => readingOf(found, index + 1, decoder, nowMs));
}

/** Fewer IDs look rounded by chance too often. */
const LEAST_ROUNDED = 3;

/**
 * Keeps the doubt `rounded` only if more than a third of several IDs have it. Of correct IDs with the sequence 0, one in eight
 * looks as JavaScript prints it, so it is no sign for one ID or for a few of many.
 */
export function judgedTogether(readings: readonly Reading[]): readonly Reading[] {
  const rounded = readings.filter(({ warnings }) => warnings.includes('rounded')).length;
  if (rounded === 0 || (rounded >= LEAST_ROUNDED && rounded * 3 > readings.length)) return readings;
  return readings.map((reading) =>
    reading.warnings.includes('rounded')
      ? {
          ...reading,
          warnings: reading.warnings.filter((warning) => warning !== 'rounded'),
          mayBeRounded: true,
        }
      : reading,
  );
}

/** Reads one ID. */
export function readingOf(
  found: FoundId,
  position: number,
  decoder: IdDecoder,
  nowMs: number,
  times = 1,
): Reading {
  const { id } = found;
  const bare = { ...found, position, times };
  if (!isInRange(id)) return { ...bare, warnings: [id.startsWith('-') ? 'negative' : 'tooLarge'] };
  const warnings = decoder.doubts(id, new Date(nowMs));
  if (warnings.includes('beyondEnd')) return { ...bare, warnings };
  const { timestampMs, datacenterId, workerId, sequence } = decoder.decode(id);
  return { ...bare, fields: { timestampMs, datacenterId, workerId, sequence }, warnings };
}
