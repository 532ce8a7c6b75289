import type { ReleaseReply, ReleaseRequest } from '../../lease/lease-store.js';
import { fromOfFencingToken } from '../registry-format.js';
import { ask, type Asking } from './questions.js';

/**
 * One execution of `release`: `reserved until` becomes the last timestamp used, lower or higher than it was (higher when
 * the renewal was lost), but never lower than the start of the grant: below it are timestamps of earlier holders. It
 * writes only over the row that it has read, so it needs no lock.
 */
export function* releaseCall({ workerId, fencingToken, lastUsedMs }: ReleaseRequest): Asking<ReleaseReply> {
  const before = yield* ask('row', workerId);
  if (!before || fencingToken === '' || before.fencingToken !== fencingToken) return { outcome: 'gone' };
  const reservedUntilMs = Math.max(lastUsedMs, fromOfFencingToken(fencingToken) ?? 0);
  yield* ask('write', { header: new Map(), row: { workerId, reservedUntilMs, fencingToken: '' }, before });
  return { outcome: 'released' };
}
