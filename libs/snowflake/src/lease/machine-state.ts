import type { SnowflakeError, SnowflakeErrorCode } from '../core/errors/snowflake-error.js';
import type { Answer, HeldLease, LeaseRefusal } from './lease-answer.js';
import type { LeaseEvent, LeaseState } from './lease-events.js';
import type { KeeperSettings } from './lease-options.js';

/**
 * The phases of a lease. Users see `opening`, in which the store is not open yet, as `acquiring`, and `stopping`, in which a
 * call that is still in flight can bring a grant to release, as `stopped`.
 */
export type Phase = LeaseState | 'opening' | 'stopping';

/** Returns the state that users see. */
export function stateOf(phase: Phase): LeaseState {
  if (phase === 'opening') return 'acquiring';
  return phase === 'stopping' ? 'stopped' : phase;
}

/** Whether nothing is issued any more. */
export function isStopped(phase: Phase): boolean {
  return stateOf(phase) === 'stopped';
}

/** What a request for a lease is for. `stay` renews after a `switch` for which no other worker ID was free. */
export type Purpose = 'acquire' | 'renew' | 'switch' | 'stay';

/** Calls that have failed without a success since. */
export interface Outage {
  /** How many calls have failed. Those that the store answered without a grant don't count. */
  readonly failures: number;
  readonly sinceMs: number;
  /** Since when the store answers again, and grants nothing. */
  readonly answersSinceMs?: number;
  readonly lastError: SnowflakeError;
}

/** All that is known of the lease of one ID maker. */
export interface MachineState {
  readonly phase: Phase;
  /** The call of the store that is in flight. There is one at a time. */
  readonly call?: Purpose | 'release';
  /** The lease that the generator issues under, or issued under before the stop. */
  readonly lease?: HeldLease;
  /** Whether a copy of this process has renewed the lease, so that it is neither used nor renewed nor released here. */
  readonly isCopied: boolean;
  /** A grant that the generator never got. The stop releases it. */
  readonly unused?: HeldLease;
  /** Whether the start is over though no lease was held, so that only the stop ends the attempts to acquire one. */
  readonly isInBackground: boolean;
  /** Whether the next request is for another worker ID, because the clock stepped back. */
  readonly mustSwitch: boolean;
  readonly outage?: Outage;
  /** How many calls have failed since the start, by the code of their error. */
  readonly failedCalls: ReadonlyMap<SnowflakeErrorCode, number>;
  /** The last refusal, while the process waits for a lease. */
  readonly refusal?: LeaseRefusal;
}

export const INITIAL: MachineState = {
  phase: 'idle',
  isCopied: false,
  isInBackground: false,
  mustSwitch: false,
  failedCalls: new Map(),
};

/** What happens to a lease. */
export type MachineEvent =
  | { readonly type: 'start' }
  /** Another ID maker uses the store. */
  | { readonly type: 'store-in-use'; readonly error: SnowflakeError }
  | { readonly type: 'opened' }
  | { readonly type: 'open-failed'; readonly error: SnowflakeError }
  /** The start has lasted as long as it may. `warning` is what the store has said last. */
  | { readonly type: 'acquire-timeout'; readonly warning?: string }
  /** It is time to renew, or to try again. */
  | { readonly type: 'due' }
  | Answer
  /** A release is over, whether it succeeded or not. */
  | { readonly type: 'release-over' }
  | { readonly type: 'clock-rollback'; readonly backwardsMs: number }
  /** Time has passed, or IDs were issued. */
  | { readonly type: 'reading' }
  | { readonly type: 'stop' }
  /** The call that was in flight at the stop is over, or has had its time. */
  | { readonly type: 'call-over' };

export type EventType = MachineEvent['type'];
export type EventOf<Type extends EventType> = Extract<MachineEvent, { type: Type }>;

/** What the clock and the generator read just before an event is handled. NaN if the clock fails. */
export interface Readings {
  readonly clockMs: number;
  /** The clock's time with the correction added. */
  readonly nowMs: number;
  readonly canIssue: boolean;
  /** Whether timestamps run so far ahead of the clock that only another worker ID brings them back. */
  readonly isFarAhead: boolean;
  /** The last timestamp that an ID may have used. */
  readonly lastUsedMs: number;
}

/** What stays the same for one ID maker. */
export interface MachineRules extends Pick<
  KeeperSettings,
  'windowMs' | 'reserveMs' | 'acquireTimeoutMs' | 'waitAtBoot'
> {
  /** Whether a clock rollback makes the process take another worker ID. */
  readonly switchesWorkerId: boolean;
  /** Names the store. */
  readonly description: string;
}

/** How far the use of the store has come at a stop. */
export type StoreUse = 'unused' | 'opening' | 'open';

/** What the keeper does for the machine. */
export type Effect =
  | { readonly do: 'open-store' }
  | { readonly do: 'request-lease'; readonly purpose: Purpose; readonly claim?: HeldLease }
  | { readonly do: 'release'; readonly lease: HeldLease; readonly lastUsedMs: number }
  /** Lets the generator issue under a new lease. */
  | { readonly do: 'adopt'; readonly lease: HeldLease }
  /** Moves the generator's limit to a later end of the same lease. */
  | { readonly do: 'extend'; readonly untilMs: number }
  /** Closes the generator's limit until another lease is adopted. */
  | { readonly do: 'pause-issuing' }
  /** Closes the generator's limit for good. */
  | { readonly do: 'end-issuing' }
  /** Makes another attempt due soon after a failure. */
  | { readonly do: 'retry'; readonly error: SnowflakeError }
  /** Makes another attempt due when the store may grant. */
  | { readonly do: 'wait'; readonly waitMs: number }
  /** Resolves the start, though no lease is held. */
  | { readonly do: 'end-start' }
  /** Resolves the start and begins to renew. */
  | { readonly do: 'begin-renewals' }
  /** Ends everything that startup has begun. `error` is why startup has failed. */
  | { readonly do: 'shut-down'; readonly store: StoreUse; readonly error?: SnowflakeError }
  | { readonly do: 'close-store' }
  | { readonly do: 'emit'; readonly event: LeaseEvent };
