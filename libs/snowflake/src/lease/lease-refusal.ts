import type { SnowflakeError } from '../core/errors/snowflake-error.js';
import { StoreUnavailableError, WorkerIdsExhaustedError } from '../core/errors/lease-errors.js';
import type { LeaseReply } from './lease-store.js';

/** Why a working store grants no lease, and when to request one again. */
export interface LeaseRefusal {
  readonly reason: 'empty' | 'history' | 'full' | 'alone';
  /** Milliseconds before which another answer is unlikely. */
  readonly waitMs: number;
  /** The refusal as an error, for callers that do not wait. */
  readonly error: SnowflakeError;
}

/** The least time in which a master without replicas gets one back. */
const ALONE_RETRY_MS = 500;

type RefusingReply = Extract<LeaseReply, { outcome: 'wait' | 'full' | 'alone' }>;

/** Explains the reply of a working store that grants nothing. */
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
          `The replicas that follow the master of ${description} are fewer than minReplicas: ${reply.replicas}. The master may have ` +
            `been replaced, so it grants nothing. Check the replicas, or lower minReplicas.`,
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
      ? `its registry was empty: the namespace is new, or was wiped`
      : `the server restarted or was replaced, or stored leases were restored or removed`;
  const initialize =
    reply.reason === 'empty'
      ? ' For a new namespace, npx nestjs-snowflake-cli init --help shows how to skip the wait.'
      : '';
  return new StoreUnavailableError(
    `${description} grants no worker ID for another ${reply.waitMs} ms, because ${cause}. Until then, leases that were ` +
      `lost can still be in use.${initialize} In development, NODE_ENV=development with a store on this machine skips the wait, or lease.possibleLoss: 'ignore'.`,
  );
}
