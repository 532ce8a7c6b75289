import { memoryOf } from 'nestjs-snowflake/internal/core/process-memory';
import type { SegmentStore } from './segment-store.js';

/** How many {@link Segments} use the store. */
const usersOf = (store: object): { count: number } =>
  memoryOf(store, 'users of segment stores', () => ({ count: 0 }));

/** Opens a store that other {@link Segments} of the process may use as well. */
export function openShared(store: SegmentStore, callTimeoutMs: number): void {
  usersOf(store).count += 1;
  store.open?.({ callTimeoutMs });
}

/** Closes a store when its last user leaves it. Never rejects. */
export async function leaveShared(store: SegmentStore): Promise<void> {
  const users = usersOf(store);
  users.count -= 1;
  if (users.count === 0) await store.close().catch(() => undefined);
}
