import type { KeeperSettings } from './keeper-settings.js';
import type { LeaseClaim, LeaseReply } from './lease-store.js';
import type { LeaseTiming } from './lease-timing.js';

type Lease = Extract<LeaseReply, { outcome: 'new' | 'kept' }>;

/**
 * Returns why no store can have granted a window with this end; undefined if one can.
 *
 * A window begins at the store's time and is `windowMs` long. It ends later in two cases only. The clock of a server that
 * took over is behind, by at most `maxSkewMs`. Or the server's clock was set back, and the lease that is shown ends later.
 */
export function problemOfEnd(
  reply: Lease,
  { windowMs, maxSkewMs }: Pick<LeaseTiming, 'windowMs' | 'maxSkewMs'>,
  shown?: LeaseClaim,
): string | undefined {
  const { untilMs, storeNowMs } = reply;
  const isAfterStart = reply.outcome === 'kept' || reply.fromMs <= untilMs;
  const latestMs = Math.max(storeNowMs, shown?.untilMs ?? 0) + windowMs + maxSkewMs;
  // Not the other way round, because NaN is not less than anything.
  if (isAfterStart && untilMs <= latestMs) return undefined;
  return (
    `with a window that ends at ${untilMs} (Unix time in ms), which is before its start or too late: the store's clock ` +
    `reads ${storeNowMs}, and windowMs + maxSkewMs are ${windowMs + maxSkewMs} ms`
  );
}

/** Returns why no store can have granted this worker ID: one beside the range can belong to a process that leases none. */
export function problemOfWorkerId(
  workerId: number,
  { firstWorkerId, workerCount }: Pick<KeeperSettings, 'firstWorkerId' | 'workerCount'>,
): string | undefined {
  const isInRange = workerId >= firstWorkerId && workerId < firstWorkerId + workerCount;
  if (Number.isInteger(workerId) && isInRange) return undefined;
  return `with worker ID ${workerId}, which is not in the range of ${workerCount} from ${firstWorkerId} on`;
}
