import { setTimeout as delay } from 'node:timers/promises';
import {
  memorySegmentStore,
  type SegmentSource,
  Segments,
  type SegmentsOptions,
  type SegmentStore,
} from 'nestjs-snowflake-segments';

const TAG = 'order';

/** A source, and how it ends. */
export interface OpenSource {
  readonly source: SegmentSource;
  stop(): Promise<void>;
}

/** Opens a source on a store, with its first segment claimed. */
export async function openSource(
  store: SegmentStore,
  options: Partial<SegmentsOptions> = {},
  startAfter = 0,
): Promise<OpenSource> {
  const segments = new Segments({ store, tags: [{ tag: TAG, startAfter }], ...options });
  await segments.start();
  return { source: segments.source(TAG), stop: () => segments.stop() };
}

/** Opens a source with `count` available numbers from the start. */
export async function openFilledSource(count: number, startAfter = 0): Promise<OpenSource> {
  const opened = await openSource(
    memorySegmentStore(),
    { minStep: count, maxStep: count, maxHeld: 2 * count },
    startAfter,
  );
  await opened.source.ready(count);
  return opened;
}

/** A store in memory that answers after a delay in milliseconds, like a database. */
export function slowStore(latencyMs: number): SegmentStore {
  const store = memorySegmentStore();
  const claim: SegmentStore['claim'] = async (...given) => {
    if (latencyMs > 0) await delay(latencyMs);
    return store.claim(...given);
  };
  return Object.assign(Object.create(store) as SegmentStore, { claim });
}
