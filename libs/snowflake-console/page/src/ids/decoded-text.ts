import { type BitLayout, IdDecoder } from 'nestjs-snowflake/core';
import { type FoundIds, IdFinder } from './found-ids.js';
import { type Reading, readingOf } from './reading.js';
import type { Slices } from './slices.js';

/** The IDs of a text, decoded with a layout. */
export interface DecodedText {
  readonly found: FoundIds;
  readonly readings: readonly Reading[];
}

const IDS_A_STEP = 250;

/** Finds and reads the IDs of a text in slices. Returns undefined if the result is no longer needed. */
export async function decodedText(
  text: string,
  layout: BitLayout,
  nowMs: number,
  slices: Slices,
): Promise<DecodedText | undefined> {
  const finder = new IdFinder(text, layout);
  while (finder.step()) if (!(await slices.goOn())) return undefined;
  const { found } = finder;
  const decoder = new IdDecoder(layout);
  const readings: Reading[] = [];
  for (const id of found.ids) {
    readings.push(readingOf(id, readings.length + 1, decoder, nowMs));
    if (readings.length % IDS_A_STEP === 0 && !(await slices.goOn())) return undefined;
  }
  return { found, readings };
}
