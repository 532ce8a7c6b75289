import type { BitLayout } from 'nestjs-snowflake/core';

export interface OfflineRequest {
  readonly layout: BitLayout;
  /** Unix time of the first ID, in milliseconds. */
  readonly timeMs: number;
  readonly datacenterId: number;
  readonly workerId: number;
  /** Sequence of the first ID. */
  readonly sequence: number;
  readonly count: number;
}

export const MOST_OFFLINE_IDS = 10_000;

/**
 * Composes IDs as one worker would issue them: the sequence goes up, and after its last value the next tick begins. For
 * teaching and test data. Nothing leases the worker ID, so a live process can issue the same IDs.
 *
 * @throws InvalidOptionError if a field doesn't fit into the layout, or the layout ends before the last ID
 */
export function offlineIds({
  layout,
  timeMs,
  datacenterId,
  workerId,
  sequence,
  count,
}: OfflineRequest): string[] {
  let tick = layout.tickAt(timeMs);
  let next = sequence;
  const ids: string[] = [];
  for (let made = 0; made < count; made++) {
    ids.push(layout.compose({ tick, datacenterId, workerId, sequence: next }).toString());
    if (next < layout.maxSequence) next++;
    else [tick, next] = [tick + 1, 0];
  }
  return ids;
}
