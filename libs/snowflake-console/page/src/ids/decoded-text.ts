import { type BitLayout, IdDecoder } from 'nestjs-snowflake/core';
import { type FoundId, type FoundIds, IdFinder } from './found-ids.js';
import { judgedTogether, type Reading, readingOf } from './reading.js';
import type { Slices } from './slices.js';

/** The IDs of a text, decoded with a layout. */
export interface DecodedText {
  readonly found: FoundIds;
  /** Each ID once, in the order of the text. */
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
  for (const [id, times] of counted(found.ids)) {
    readings.push(readingOf(id, readings.length + 1, decoder, nowMs, times));
    if (readings.length % IDS_A_STEP === 0 && !(await slices.goOn())) return undefined;
  }
  return { found, readings: judgedTogether(readings) };
}

/** Returns each ID where the text has it first, and how often it has it. */
function counted(ids: readonly FoundId[]): Iterable<readonly [FoundId, number]> {
  const byId = new Map<string, [FoundId, number]>();
  for (const found of ids) {
    const known = byId.get(found.id);
    if (known) known[1]++;
    else byId.set(found.id, [found, 1]);
  }
  return byId.values();
}
