import type { ScheduledTask } from '../core/clock/clock.js';
import type { SnowflakeError } from '../core/errors/snowflake-error.js';
import { type CallDeadline, deadlineIn } from '../kit/call-deadline.js';
import { type KeeperEnvironment, type KeeperSettings, RENEWAL_SPREAD_PERCENT } from './lease-options.js';
import type { MachineState, Purpose } from './machine-state.js';

/** No retry follows sooner. */
const RETRY_MIN_MS = 125;
/** Within how long the first retry follows. */
const FIRST_RETRY_WITHIN_MS = 250;
/** How much longer to wait after an answer that only an operator can change. */
const REJECTED_RETRY_FACTOR = 8;
/** The longest pause of a start is this part of it: 5 s by default. */
const LONGEST_PAUSE_DIVISOR = 16;
/** Upper bound between two attempts of a start: a worker ID can become free before the store's estimate. */
const LONGEST_WAIT_MS = 1000;

/** What keeps the calls of a crowd apart. A control replaces it. */
export interface ScheduleMechanisms {
  readonly retryDelayMs: typeof retryDelayMs;
}

const SCHEDULE_MECHANISMS: ScheduleMechanisms = { retryDelayMs };

/**
 * Decides when a process next calls its store for a lease. Has the timers of that, and calls `callStore` when one is due:
 *
 * - the renewal, every {@link renewEveryMs} while a lease is held;
 * - the attempt, once after a call that brought no lease: {@link retry} after a failure, {@link wait} after a refusal.
 *
 * It also bounds the start.
 */
export class LeaseSchedule {
  /**
   * Interval of renewals in milliseconds: the configured one ± 10 %, so that processes do not renew all at once. Undefined with
   * a fixed worker ID, which needs none.
   */
  readonly renewEveryMs: number | undefined;

  /** Set while the lease must be renewed: from the first grant to the stop. */
  private renewal: ScheduledTask | undefined;
  private attempt: ScheduledTask | undefined;
  private startTimeout: ScheduledTask | undefined;
  /** The deadline of the start, from its first request on. */
  private start: CallDeadline | undefined;

  /** @param isRenewable whether the leases of the store end */
  constructor(
    private readonly settings: KeeperSettings,
    private readonly environment: KeeperEnvironment,
    isRenewable: boolean,
    private readonly callStore: () => void,
    private readonly mechanisms = SCHEDULE_MECHANISMS,
  ) {
    if (!isRenewable) return;
    const spread = 1 + (RENEWAL_SPREAD_PERCENT / 100) * (2 * environment.random() - 1);
    this.renewEveryMs = Math.max(1, Math.round(settings.renewEveryMs * spread));
  }

  /** Whether a lease is held that must be renewed. */
  get renews(): boolean {
    return this.renewal !== undefined;
  }

  /** Calls `over` when the start has lasted as long as it may. */
  beginStart(over: () => void): void {
    const { callTimeoutMs, acquireTimeoutMs, waitAtBoot } = this.settings;
    this.startTimeout = this.environment.clock.schedule(waitAtBoot ? acquireTimeoutMs : callTimeoutMs, over);
    // Nothing else keeps the process alive before there is a connection: it would end in the middle of its start, with code 0.
    this.startTimeout.keepProcessAlive?.();
  }

  endStart(): void {
    this.startTimeout?.cancel();
  }

  /** Renews from now on, every {@link renewEveryMs}. */
  beginRenewals(): void {
    this.renewIn(this.renewEveryMs);
  }

  /**
   * Leaves the next renewal to a caller who renews now: the timer waits `callTimeoutMs` longer than its interval, once. A caller who
   * comes every {@link renewEveryMs} takes its place, and it takes over as soon as the caller is late. `lease-options.ts` refuses
   * durations that leave no time for that.
   */
  leaveToCaller(): void {
    if (this.renewEveryMs !== undefined) this.renewIn(this.renewEveryMs + this.settings.callTimeoutMs);
  }

  /**
   * Tries again after a failure. The pauses of a start become longer and longer, which leaves the store to those that hold a lease:
   * their windows end.
   */
  retry(error: SnowflakeError, { phase, outage }: Pick<MachineState, 'phase' | 'outage'>): void {
    const startMs = phase === 'acquiring' ? this.settings.acquireTimeoutMs : 0;
    const longestMs = startMs / LONGEST_PAUSE_DIVISOR;
    this.attemptIn(this.mechanisms.retryDelayMs(error, outage?.failures ?? 1, longestMs, this.environment));
  }

  /** Tries again when the store may grant. */
  wait(waitMs: number): void {
    this.attemptIn(waitDelayMs(waitMs, this.environment));
  }

  /** Makes no attempt: another call of the store takes its place. */
  cancelAttempt(): void {
    this.attempt?.cancel();
  }

  /**
   * Returns how long a call may take while it waits for others. A process that starts waits for as long as its start, less the time
   * that the call itself may take: to begin again would give up its place. A holder's window ends, so its calls stay short.
   */
  queueMs(purpose: Purpose): number {
    const { callTimeoutMs, acquireTimeoutMs } = this.settings;
    if (purpose !== 'acquire') return callTimeoutMs;
    this.start ??= deadlineIn(this.environment.clock, acquireTimeoutMs);
    return Math.max(callTimeoutMs, this.start.remainingMs() - callTimeoutMs);
  }

  /** Ends all timers. */
  stop(): void {
    this.renewal?.cancel();
    this.renewal = undefined;
    this.cancelAttempt();
    this.endStart();
  }

  private renewIn(delayMs: number | undefined): void {
    if (delayMs === undefined) return;
    this.renewal?.cancel();
    this.renewal = this.environment.clock.schedule(delayMs, () => {
      this.renewIn(this.renewEveryMs);
      this.callStore();
    });
  }

  private attemptIn(delayMs: number): void {
    this.attempt = this.environment.clock.schedule(delayMs, this.callStore);
  }
}

/** Returns up to when the IDs of a window carry the true time. What follows is its reserve. */
export function clockTimeUntilMs(untilMs: number, { reserveMs }: Pick<KeeperSettings, 'reserveMs'>): number {
  return untilMs - reserveMs;
}

/** Whether a window began before it was granted, so that it may end before the first regular renewal. */
export function isShort(leftMs: number, { windowMs }: Pick<KeeperSettings, 'windowMs'>): boolean {
  return leftMs < windowMs;
}

/**
 * Returns how long to wait before a retry: at random between 125 ms and a limit, which is 250 ms after the first failure and four times
 * as long after each further one in a row. So a crowd whose calls fail sends them less and less often, and not all at once.
 *
 * @param failures how many calls in a row have failed
 * @param longestMs where the limit stops growing; below 250 ms, it never grows
 */
export function retryDelayMs(
  error: SnowflakeError,
  failures: number,
  longestMs: number,
  { random }: Pick<KeeperEnvironment, 'random'>,
): number {
  const grownMs = FIRST_RETRY_WITHIN_MS * 4 ** Math.min(failures - 1, 20);
  const limitMs = Math.max(FIRST_RETRY_WITHIN_MS, Math.min(longestMs, grownMs));
  const delayMs = RETRY_MIN_MS + (limitMs - RETRY_MIN_MS) * random();
  return Math.round(error.retryable ? delayMs : delayMs * REJECTED_RETRY_FACTOR);
}

/** Returns how long a start waits that was refused: as long as the store says, but at most 0.5 to 1 s at random. */
function waitDelayMs(waitMs: number, { random }: Pick<KeeperEnvironment, 'random'>): number {
  const longestMs = LONGEST_WAIT_MS * (0.5 + random() / 2);
  return Math.max(1, Math.ceil(Math.min(waitMs, longestMs)));
}
