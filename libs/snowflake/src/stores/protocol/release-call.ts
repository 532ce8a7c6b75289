import type { ReleaseReply, ReleaseRequest } from '../../lease/lease-store.js';
import { fromOfDeed } from '../registry-format.js';
import { ask, type Asking } from './questions.js';

/**
 * One execution of `release`: `reserved until` becomes the last timestamp used, lower or higher than it was (higher when
 * the renewal was lost), but never lower than the start of the grant: below it are timestamps of earlier holders. It
 * writes only over the row that it has read, so it needs no lock.
 */
export function* releaseCall({ workerId, deed, lastUsedMs }: ReleaseRequest): Asking<ReleaseReply> {
  const before = yield* ask('row', workerId);
  if (!before || deed === '' || before.deed !== deed) return { outcome: 'gone' };
  const reservedUntilMs = Math.max(lastUsedMs, fromOfDeed(deed) ?? 0);
  yield* ask('write', { header: new Map(), row: { workerId, reservedUntilMs, deed: '' }, before });
  return { outcome: 'released' };
}
