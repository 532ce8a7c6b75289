import {
  LayoutMismatchError,
  StoreCorruptError,
  StoreUnavailableError,
  WorkerIdsExhaustedError,
} from '../core/errors/lease-errors.js';
import type { SnowflakeError } from '../core/errors/snowflake-error.js';
import { seeDocs } from '../core/see-docs.js';
import { isSameGrant } from './fencing-token.js';
import type { KeeperSettings } from './lease-options.js';
import type { LeaseClaim, LeaseReply } from './lease-store.js';

/** A lease, as the store last confirmed it. */
export interface HeldLease extends LeaseClaim {
  readonly fromMs: number;
}

/** What the reply to a request for a lease means. */
export type Answer =
  | { readonly type: 'granted'; readonly lease: HeldLease; readonly storeNowMs: number }
  | {
      readonly type: 'kept';
      readonly fencingToken: string;
      readonly untilMs: number;
      readonly durationMs: number;
    }
  /** Another process has renewed the lease with the same fencing token. */
  | { readonly type: 'copied' }
  /** A working store grants nothing. Without `wait`, only an operator can change that. */
  | { readonly type: 'refused'; readonly error: SnowflakeError; readonly wait?: LeaseRefusal }
  /** `unused` is a grant that can't be adopted, and so must be released at the stop. */
  | { readonly type: 'failed'; readonly error: SnowflakeError; readonly unused?: HeldLease };

/** Why a working store grants no lease, and when to request one again. */
export interface LeaseRefusal {
  readonly reason: 'empty' | 'history' | 'full' | 'alone';
  /** Milliseconds before which another answer is unlikely. */
  readonly waitMs: number;
  /** The refusal as an error, for callers that do not wait. */
  readonly error: SnowflakeError;
}

/** What a reply is judged by. */
export interface ReplyContext {
  /** What the process has requested, and what a store can grant by that. */
  readonly settings: Pick<
    KeeperSettings,
    'windowMs' | 'maxSkewMs' | 'fingerprint' | 'firstWorkerId' | 'workerCount'
  >;
  /** Names the store. */
  readonly description: string;
  /** The lease that the request has shown. */
  readonly shown: HeldLease | undefined;
  /** The lease that is held. */
  readonly held: HeldLease | undefined;
  /** How long the call took. */
  readonly durationMs: number;
}

/** Returns what a reply means. Believes no grant that no store can have made. */
export function answerOf(reply: LeaseReply, context: ReplyContext): Answer {
  const { settings, description, shown, held, durationMs } = context;
  const corrupt = (problem: string): SnowflakeError => unbelievable(description, problem);
  switch (reply.outcome) {
    case 'new': {
      const grant = grantIn(reply);
      // The grant of the lease that is held came once more. Adopting it again would repeat IDs.
      if (held && isSameLease(held, grant.lease))
        return { type: 'kept', fencingToken: held.fencingToken, untilMs: held.untilMs, durationMs };
      const problem = problemOfWorkerId(reply.workerId, settings) ?? problemOfEnd(reply, settings);
      if (problem !== undefined) return { type: 'failed', error: corrupt(problem), unused: grant.lease };
      return { type: 'granted', ...grant };
    }
    case 'kept': {
      if (!shown)
        return { type: 'refused', error: corrupt('that a lease was kept, though the request showed none') };
      const problem = problemOfEnd(reply, settings, shown);
      if (problem !== undefined) return { type: 'failed', error: corrupt(problem) };
      return { type: 'kept', fencingToken: reply.fencingToken, untilMs: reply.untilMs, durationMs };
    }
    case 'copied': {
      if (shown) return { type: 'copied' };
      return { type: 'refused', error: corrupt('that a lease was copied, though the request showed none') };
    }
    case 'layout': {
      const error = new LayoutMismatchError(description, settings.fingerprint, reply.storedLayout);
      return { type: 'refused', error };
    }
    case 'corrupt':
      return { type: 'refused', error: new StoreCorruptError(description, reply.field, reply.stored) };
    default: {
      const wait = leaseRefusal(reply, description, settings.workerCount);
      return { type: 'refused', error: wait.error, wait };
    }
  }
}

/** The data may be good, and only the store's code wrong, so the message advises nobody to delete anything. */
function unbelievable(description: string, problem: string): SnowflakeError {
  return new StoreCorruptError(
    description,
    'reply',
    problem,
    `${description} answered ${problem}. This process generates no IDs with that answer. If the store is your own, run the ` +
      `contract of nestjs-snowflake/store on it. Otherwise find out who wrote to the namespace or set its ` +
      `server's clock. ${seeDocs('operations/problems', 'The registry is unreadable')}`,
  );
}

/** A lease that the store has granted, and the time of its clock. */
type Grant = Omit<Extract<Answer, { type: 'granted' }>, 'type'>;

/** Returns what a reply grants, whether it is believed or not. */
export function grantIn(reply: Extract<LeaseReply, { outcome: 'new' }>): Grant {
  const { workerId, fencingToken, fromMs, untilMs, storeNowMs } = reply;
  return { lease: { workerId, fencingToken, fromMs, untilMs }, storeNowMs };
}

/** Whether two leases are of one grant, which a renewal between them doesn't change. */
export function isSameLease(one: HeldLease, other: HeldLease): boolean {
  return isSameGrant(one.fencingToken, other.fencingToken);
}

type LeasingReply = Extract<LeaseReply, { outcome: 'new' | 'kept' }>;

/**
 * Returns why no store can have granted a window with this end; undefined if one can.
 *
 * A window begins at the store's time and is `windowMs` long. It ends later in two cases only. The clock of a server that
 * took over is behind, by at most `maxSkewMs`. Or the server's clock went back, and the lease that is shown ends later.
 */
function problemOfEnd(
  reply: LeasingReply,
  { windowMs, maxSkewMs }: Pick<KeeperSettings, 'windowMs' | 'maxSkewMs'>,
  shown?: LeaseClaim,
): string | undefined {
  const { untilMs, storeNowMs } = reply;
  const isAfterStart = reply.outcome === 'kept' || reply.fromMs <= untilMs;
  const latestMs = Math.max(storeNowMs, shown?.untilMs ?? 0) + windowMs + maxSkewMs;
  // NaN fails both comparisons, and so is refused.
  if (isAfterStart && untilMs <= latestMs) return undefined;
  return (
    `with a window that ends at ${untilMs} (Unix time in ms), which is before its beginning or too late: the store's clock ` +
    `reads ${storeNowMs}, and windowMs + maxSkewMs are ${windowMs + maxSkewMs} ms`
  );
}

/** Returns why no store can have granted this worker ID: one beside the range can belong to a process that leases none. */
function problemOfWorkerId(
  workerId: number,
  { firstWorkerId, workerCount }: Pick<KeeperSettings, 'firstWorkerId' | 'workerCount'>,
): string | undefined {
  const isInRange = workerId >= firstWorkerId && workerId < firstWorkerId + workerCount;
  if (Number.isInteger(workerId) && isInRange) return undefined;
  return `with worker ID ${workerId}, which is not in the range of ${workerCount} from ${firstWorkerId} on`;
}

/** The least time in which a master without replicas gets one back. */
const ALONE_RETRY_MS = 500;

type RefusingReply = Extract<LeaseReply, { outcome: 'wait' | 'full' | 'alone' }>;

/** Explains the reply of a working store that grants nothing. */
function leaseRefusal(reply: RefusingReply, description: string, workerCount: number): LeaseRefusal {
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
    `${description} grants no worker ID for another ${reply.waitMs} ms, because ${cause}. Until then, lost leases can still be in use.` +
      `${initialize} In development, NODE_ENV=development with a store on this machine skips the wait, and so does lease.possibleLoss: 'ignore'.`,
  );
}
