import type { WorkerOverview } from './registry-overview.js';

/**
 * Who can have generated an ID. `holder`: only the holder that the registry names. `former`: a holder before that one. `import`: a call of
 * `backfill()`. `nobody`: no process of this namespace. `unknown`: the registry can't tell, as with fixed worker IDs or after a loss of its
 * history.
 */
export type IdOrigin = 'holder' | 'former' | 'import' | 'nobody' | 'unknown';

/**
 * Returns who generated an ID with this timestamp, by the row of its worker ID. Windows of one worker ID never overlap, so this is as
 * certain as that IDs are unique.
 *
 * @param row undefined if the worker ID was never used
 * @param grantsAfterMs the value of the registry: grants up to there may have been lost
 */
export function idOrigin(
  row: Pick<WorkerOverview, 'windowFromMs' | 'claimedUntilMs' | 'reservedUntilMs'> | undefined,
  timestampMs: number,
  grantsAfterMs = -Infinity,
): IdOrigin {
  const mayBeLost = timestampMs <= grantsAfterMs;
  if (!row) return mayBeLost ? 'unknown' : 'nobody';
  const { windowFromMs, claimedUntilMs, reservedUntilMs } = row;
  // A worker ID of imports was no process's before, except in a history that was lost.
  if (claimedUntilMs !== undefined && timestampMs <= claimedUntilMs) return 'import';
  if (claimedUntilMs !== undefined) return mayBeLost ? 'unknown' : 'nobody';
  // A fixed worker ID has a window without an end, and the registry of this process only.
  if (reservedUntilMs >= Number.MAX_SAFE_INTEGER) return 'unknown';
  if (timestampMs > reservedUntilMs) return 'nobody';
  if (windowFromMs === undefined || timestampMs <= windowFromMs) return 'former';
  return mayBeLost ? 'unknown' : 'holder';
}
