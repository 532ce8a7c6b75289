import { isUsableAt, requireUsableAt } from '../core/layout/usable-time.js';
import { StoreRejectedError } from '../core/errors/lease-errors.js';
import type { SnowflakeError } from '../core/errors/snowflake-error.js';
import { deadlineIn, GRACE_MS, type RunningDeadline, settledWithin } from '../kit/call-deadline.js';
import type { GeneratorControl } from './generator-control.js';
import {
  ignoresLoss,
  type KeeperEnvironment,
  type KeeperSettings,
  sanitizedHolderName,
  sharedRequest,
} from './lease-options.js';
import { attemptWith } from './fencing-token.js';
import { type Answer, answerOf, grantIn, type HeldLease, isSameLease } from './lease-answer.js';
import type { LeaseListeners } from './lease-events.js';
import { isStopped, type MachineState, type Purpose } from './machine-state.js';
import type { LeaseClaim, LeaseReply, LeaseRequest, LeaseStore, RegistrySnapshot } from './lease-store.js';
import { asSnowflakeError, StoreCaller, unanswered } from './store-caller.js';

/** How many attempts a request lists. */
const MAX_ATTEMPTS = 64;

/** The process's side of a store: requests a lease, releases it, and reads the registry. */
export class LeaseClient {
  private readonly caller: StoreCaller;
  private readonly holderName: string;
  /** The settings by which replies are judged. */
  private readonly credible: KeeperSettings;
  /** What a retry repeats, so that it gets the grant or renewal of a request whose reply was lost. */
  private toRepeat: Pick<Required<LeaseRequest>, 'nonce' | 'attempts'> | undefined;
  private inspection: Promise<RegistrySnapshot> | undefined;
  private isLayoutConfirmed = false;

  constructor(
    private readonly store: LeaseStore,
    private readonly control: GeneratorControl,
    private readonly settings: KeeperSettings,
    private readonly environment: KeeperEnvironment,
    private readonly listeners: LeaseListeners,
  ) {
    this.caller = new StoreCaller(store, environment.clock);
    this.holderName = sanitizedHolderName(environment.holderName);
    // The grant of a fixed worker ID never ends, and its store knows the range.
    const fixed = { firstWorkerId: 0, workerCount: Infinity, maxSkewMs: Infinity };
    this.credible = store.renewable ? settings : { ...settings, ...fixed };
  }

  /**
   * Requests a lease. Never rejects.
   *
   * @param claim the lease to renew
   * @param queueMs returns how long the call may take while it waits for others
   * @param machine returns the state of the machine, which can be another one when the reply arrives
   */
  async requestLease(
    purpose: Purpose,
    claim: HeldLease | undefined,
    queueMs: () => number,
    machine: () => MachineState,
  ): Promise<Answer> {
    const { clock } = this.environment;
    try {
      if (this.mustConfirmLayout()) await this.confirmLayout();
      const request = this.request(purpose, claim, machine());
      const lease = async (deadline: RunningDeadline) => {
        const reply = await this.store.lease(request, deadline);
        // The clock is compared from when the call began to read. A call that has queued would show a clock that is seconds off.
        return { reply, readMs: deadline.beganMs };
      };
      const { reply, readMs } = await this.caller.call(lease, this.settings.callTimeoutMs, queueMs());
      return this.read(reply, claim, machine(), readMs, clock.now());
    } catch (error) {
      return { type: 'failed', error: this.typed(error) };
    }
  }

  /** Releases a lease, and reports how that went. Never rejects. */
  async release(lease: HeldLease, lastUsedMs: number, timeoutMs: number): Promise<void> {
    const { workerId, fencingToken, untilMs } = lease;
    try {
      const reply = await this.caller.call(
        (deadline) => this.store.release({ workerId, fencingToken, lastUsedMs }, deadline),
        timeoutMs,
      );
      if (reply.outcome === 'gone') throw this.otherFencingToken(workerId);
      this.listeners.emit({ type: 'released', workerId, lastUsedMs, reservedUntilMs: reply.reservedUntilMs });
    } catch (error) {
      this.listeners.emit({ type: 'release-failed', workerId, untilMs, error: this.typed(error) });
    }
  }

  /** Reads the registry. Calls that overlap share one call of the store, which settles within `callTimeoutMs`. */
  inspect(): Promise<RegistrySnapshot> {
    this.inspection ??= this.readRegistry().finally(() => (this.inspection = undefined));
    return this.inspection;
  }

  /** Whether the clock of this host reads a time outside the layout. It can be wrong: a host without a battery begins in 1970. */
  private mustConfirmLayout(): boolean {
    return !this.isLayoutConfirmed && !isUsableAt(this.control.layout, this.environment.clock.now());
  }

  /**
   * Judges the layout by the store's clock. Only reads, because a wrong epoch must not become that of a new namespace.
   *
   * @throws InvalidOptionError if the layout is not usable
   */
  private async confirmLayout(): Promise<void> {
    const { layout } = this.control;
    try {
      const { storeNowMs } = await this.inspect();
      requireUsableAt(layout, storeNowMs, `the clock of ${this.store.description}`);
    } catch (error) {
      // A service may let this process lease, but not read.
      if (error instanceof StoreRejectedError) {
        requireUsableAt(layout, this.environment.clock.now(), "this host's clock");
      }
      throw error;
    }
    this.isLayoutConfirmed = true;
  }

  private async readRegistry(): Promise<RegistrySnapshot> {
    const { clock } = this.environment;
    const { callTimeoutMs } = this.settings;
    const deadline = deadlineIn(clock, callTimeoutMs);
    const late = (): Error => unanswered(this.store, deadline);
    try {
      return await settledWithin(clock, callTimeoutMs + GRACE_MS, this.store.inspect(), late);
    } catch (error) {
      throw this.typed(error);
    }
  }

  private request(purpose: Purpose, claim: HeldLease | undefined, { lease }: MachineState): LeaseRequest {
    const { settings, environment } = this;
    const retry = this.toRepeat !== undefined;
    // Each attempt has a nonce of its own, because a copy of this process may make the next one.
    const fresh = environment.nonce();
    const attempt = attemptWith(fresh, this.control.clockCorrectionMs);
    const { nonce = `${fresh}:${this.holderName}`, attempts = [] } = this.toRepeat ?? {};
    this.toRepeat = { nonce, attempts: withAttempt(attempts, attempt) };
    return {
      ...sharedRequest(settings),
      ...this.toRepeat,
      retry,
      assumeNew: false,
      // A process that has held a lease here knows what was lost, and doesn't ignore it.
      ignoreLoss: lease === undefined && ignoresLoss(settings, this.store, environment.nodeEnv()),
      searchSeed: Math.floor(environment.random() * 2 ** 31),
      preferLongestOffline: purpose === 'switch',
      claim: claim && claimOf(claim),
    };
  }

  /**
   * Returns what a reply means now.
   *
   * @param shown the lease that the request has shown
   * @param state the state of the machine when the reply arrives
   * @param readMs when the call began to read, Unix time in milliseconds
   */
  private read(
    reply: LeaseReply,
    shown: HeldLease | undefined,
    { phase, lease: held }: MachineState,
    readMs: number,
    receivedMs: number,
  ): Answer {
    const grant = reply.outcome === 'new' ? grantIn(reply) : undefined;
    // After the stop, a grant is only released. If it is the lease that was held, some of its timestamps are used: answerOf() keeps it.
    if (grant && isStopped(phase) && !(held && isSameLease(held, grant.lease)))
      return { type: 'granted', ...grant };
    try {
      if ('storeNowMs' in reply) {
        // What follows the reading of the clock can wait for others once more.
        const endMs = Math.min(receivedMs, readMs + this.settings.callTimeoutMs);
        this.correctClock(clockOffsetMs(reply.storeNowMs, readMs, endMs), held === undefined);
      }
      const durationMs = Math.max(0, receivedMs - readMs);
      const context = {
        settings: this.credible,
        description: this.store.description,
        shown,
        held,
        durationMs,
      };
      const answer = this.admitted(answerOf(reply, context));
      // The next request is no retry of this one, which would return the same grant: that one is adopted now, or refused.
      if (grant || answer.type === 'kept' || answer.type === 'copied') this.toRepeat = undefined;
      return answer;
    } catch (error) {
      return { type: 'failed', error: this.typed(error), unused: grant?.lease };
    }
  }

  private admitted(answer: Answer): Answer {
    if (answer.type !== 'granted') return answer;
    return { ...answer, lease: this.control.admit(answer.lease, answer.storeNowMs) };
  }

  private correctClock(offsetMs: number, isFirst: boolean): void {
    const skewMs = this.control.correctClock(offsetMs, isFirst);
    if (skewMs !== undefined) this.listeners.emit({ type: 'clock-corrected', offsetMs, skewMs });
  }

  private otherFencingToken(workerId: number): SnowflakeError {
    return new StoreRejectedError(
      `${this.store.description} has another fencing token of worker ID ${workerId}: the reply to the last renewal was lost, or another ` +
        'process holds the worker ID.',
    );
  }

  private typed(error: unknown): SnowflakeError {
    return asSnowflakeError(error, this.store.description);
  }
}

function claimOf({ workerId, fencingToken, untilMs }: HeldLease): LeaseClaim {
  return { workerId, fencingToken, untilMs };
}

/**
 * Puts an attempt before the earlier ones. If the list is full, one in the middle goes: the first ones may have been executed before the
 * connection broke, and the last ones may still be on their way.
 */
function withAttempt(earlier: readonly string[], attempt: string): readonly string[] {
  const kept = earlier.length < MAX_ATTEMPTS ? earlier : earlier.toSpliced(MAX_ATTEMPTS / 2 - 1, 1);
  return [attempt, ...kept];
}

/**
 * Returns how far the store's clock is ahead of the local one, and takes its reading for the middle of the call
 * (Cristian's algorithm, 1989). Wrong by at most half of the call's duration.
 */
function clockOffsetMs(storeNowMs: number, readMs: number, receivedMs: number): number {
  return Math.round(storeNowMs - (readMs + receivedMs) / 2);
}
