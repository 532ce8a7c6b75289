import { type SnowflakeError, StoreUnavailableError, WorkerIdsExhaustedError } from '../core/index.js';
import type { LeaseReply } from './lease-store.js';

/** Why a store that works gave no lease, and when to ask again. */
export interface LeaseRefusal {
  readonly reason: 'empty' | 'history' | 'full' | 'alone';
  /** Unlikely to get better before so many milliseconds have passed. */
  readonly waitMs: number;
  /** The refusal as an error for whoever cannot wait. */
  readonly error: SnowflakeError;
}

/** How long a master without replicas takes, at the least, to get one back. */
const ALONE_RETRY_MS = 500;

type RefusingReply = Extract<LeaseReply, { outcome: 'wait' | 'full' | 'alone' }>;

/** Turns the reply of a store that works but grants nothing into words. */
export function leaseRefusal(reply: RefusingReply, description: string, workerCount: number): LeaseRefusal {
  switch (reply.outcome) {
    case 'full':
      return {
        reason: 'full',
        waitMs: reply.nextFreeInMs,
        error: new WorkerIdsExhaustedError(workerCount, reply.nextFreeInMs, description),
      };
    case 'alone':
      return {
        reason: 'alone',
        waitMs: ALONE_RETRY_MS,
        error: new StoreUnavailableError(
          `${description}: the master has ${reply.replicas} replicas in touch, fewer than minReplicas; it may have been ` +
            `deposed and grants nothing. Check the replicas, or lower minReplicas.`,
        ),
      };
    case 'wait':
      return { reason: reply.reason, waitMs: reply.waitMs, error: historyUnknown(reply, description) };
  }
}

function historyUnknown(
  reply: Extract<LeaseReply, { outcome: 'wait' }>,
  description: string,
): SnowflakeError {
  const cause =
    reply.reason === 'empty'
      ? `its registry was empty: a brand-new ID space, or a wiped one`
      : `the server restarted or was replaced and may have forgotten its latest grants`;
  const remedy =
    reply.reason === 'empty'
      ? ` Where it is known to be new, lease.onEmptyStore: 'assumeNew' skips the wait.`
      : '';
  return new StoreUnavailableError(
    `${description} grants no worker ID for another ${reply.waitMs} ms, because ${cause}; until then leases that it does ` +
      `not know of can be alive.${remedy}`,
  );
}
