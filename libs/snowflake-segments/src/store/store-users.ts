import { memoryOf } from 'nestjs-snowflake/kit';
import type { SegmentStore } from './segment-store.js';

class Users {
  count = 0;
}

/** Opens a store that other {@link Segments} of the process may use as well. */
export function openShared(store: SegmentStore, callTimeoutMs: number): void {
  memoryOf(store, Users).count += 1;
  store.open?.({ callTimeoutMs });
}

/** Closes a store when its last user leaves it. Never rejects. */
export async function leaveShared(store: SegmentStore): Promise<void> {
  const users = memoryOf(store, Users);
  users.count -= 1;
  if (users.count === 0) await store.close().catch(() => undefined);
}
