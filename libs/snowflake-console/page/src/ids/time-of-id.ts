import { type BitLayout, IdDecoder } from 'nestjs-snowflake/core';
import { foundIdsIn, isInRange } from './found-ids.js';

/** When an ID was made, or why that is unknown. */
export interface DecodedTime {
  readonly id: string;
  readonly ms?: number;
  readonly problem?: 'range.notAnId' | 'warning.negative' | 'warning.tooLarge' | 'warning.beyondEnd';
}

/** Returns when the one ID of a text was made. The ID can have any form that is found in texts. */
export function timeOfId(text: string, layout: BitLayout): DecodedTime {
  const bare = text.trim();
  if (bare === '') return { id: bare };
  const [found, ...more] = foundIdsIn(bare, layout).ids;
  if (!found || more.length > 0) return { id: bare, problem: 'range.notAnId' };
  const { id } = found;
  if (!isInRange(id)) return { id, problem: id.startsWith('-') ? 'warning.negative' : 'warning.tooLarge' };
  try {
    return { id, ms: new IdDecoder(layout).decode(id).timestampMs };
  } catch {
    return { id, problem: 'warning.beyondEnd' };
  }
}
