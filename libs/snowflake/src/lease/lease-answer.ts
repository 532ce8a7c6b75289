import { LayoutMismatchError, StoreCorruptError } from '../core/errors/lease-errors.js';
import { seeDocs } from '../core/see-docs.js';
import type { SnowflakeError } from '../core/errors/snowflake-error.js';
import { problemOfEnd, problemOfWorkerId } from './believable-grant.js';
import { isSameGrant } from './fencing-token.js';
import type { KeeperSettings } from './keeper-settings.js';
import { leaseRefusal } from './lease-refusal.js';
import type { Answer, HeldLease } from './lease-state.js';
import type { LeaseReply } from './lease-store.js';

/** What a reply is judged by. */
export interface ReplyContext {
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
      // The grant of the lease that is held came once more. Adopting it again would repeat IDs.
      if (held && isSameGrant(reply.fencingToken, held.fencingToken))
        return { type: 'kept', fencingToken: held.fencingToken, untilMs: held.untilMs, durationMs };
      const grant = grantOf(reply);
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
    `${description} answered ${problem}. This process makes no IDs with that answer. If the store is your own, run the ` +
      `contract of nestjs-snowflake/store on it. Otherwise find out who wrote to the namespace or set its ` +
      `server's clock. ${seeDocs('operations/troubleshooting', 'The registry is unreadable')}`,
  );
}

/** A lease that the store has granted, and the time of its clock. */
export type Grant = Omit<Extract<Answer, { type: 'granted' }>, 'type'>;

/** Returns what a reply grants, whether it is believed or not. */
export function grantOf(reply: Extract<LeaseReply, { outcome: 'new' }>): Grant {
  const { workerId, fencingToken, fromMs, untilMs, storeNowMs } = reply;
  return { lease: { workerId, fencingToken, fromMs, untilMs }, storeNowMs };
}
