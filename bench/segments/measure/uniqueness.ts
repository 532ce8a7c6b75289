import { memorySegmentStore, type SegmentStore } from 'nestjs-snowflake-segments';
import { openSource } from '../sources.js';
import type { Settings } from '../settings.js';

const SOURCES = 4;
const BATCH = 10_000;

/** Numbers of several sources that share a counter, and how many of them came twice. */
export interface Uniqueness {
  readonly numbers: number;
  readonly duplicates: number;
  /** Duplicates of the same sources, each with a counter of its own: that the search finds them. */
  readonly controlDuplicates: number;
}

export async function measureUniqueness({ uniqueNumbers: numbers }: Settings): Promise<Uniqueness> {
  const shared = memorySegmentStore();
  return {
    numbers,
    duplicates: await duplicatesOn(() => shared, numbers),
    controlDuplicates: await duplicatesOn(memorySegmentStore, numbers),
  };
}

async function duplicatesOn(storeOf: () => SegmentStore, numbers: number): Promise<number> {
  const sources = await Promise.all(Array.from({ length: SOURCES }, () => openSource(storeOf())));
  const seen = new Set<number>();
  const bits = new Uint8Array(2 * numbers);
  let duplicates = 0;
  const note = (number: number): void => {
    const isSeen = number < bits.length ? bits[number] === 1 : seen.has(number);
    if (isSeen) duplicates += 1;
    else if (number < bits.length) bits[number] = 1;
    else seen.add(number);
  };
  for (let made = 0; made < numbers; made += SOURCES * BATCH) {
    for (const { source } of sources) {
      await source.ready(BATCH);
      for (const number of source.nextMany(BATCH)) note(number);
    }
  }
  await Promise.all(sources.map(({ stop }) => stop()));
  return duplicates;
}
