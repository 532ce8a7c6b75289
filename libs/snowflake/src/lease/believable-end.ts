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
