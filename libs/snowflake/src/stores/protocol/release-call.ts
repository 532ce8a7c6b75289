import type { ReleaseReply, ReleaseRequest } from '../../lease/lease-store.js';
import { fromOfFencingToken } from '../../lease/fencing-token.js';
import { ask, type Asking } from './questions.js';

/**
 * One execution of `release`. Sets `reserved until` to the last timestamp used, which may be lower or higher than the
 * stored value (higher if a renewal was lost), but never lower than the start of the grant: earlier holders used the
 * timestamps below it. It writes only if the row is still as it was read, so it needs no lock.
 */
export function* releaseCall({ workerId, fencingToken, lastUsedMs }: ReleaseRequest): Asking<ReleaseReply> {
  const before = yield* ask('row', workerId);
  if (!before || fencingToken === '' || before.fencingToken !== fencingToken) return { outcome: 'gone' };
  const reservedUntilMs = Math.max(lastUsedMs, fromOfFencingToken(fencingToken) ?? 0);
  yield* ask('write', { header: new Map(), row: { workerId, reservedUntilMs, fencingToken: '' }, before });
  return { outcome: 'released' };
}
