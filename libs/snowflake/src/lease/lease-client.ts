import { isUsableAt, requireUsableAt } from '../core/layout/usable-time.js';
import { StoreRejectedError, LayoutMismatchError, StoreCorruptError } from '../core/errors/lease-errors.js';
import type { SnowflakeError } from '../core/errors/snowflake-error.js';
import { deadlineIn, GRACE_MS, type RunningDeadline, settledWithin } from '../kit/call-deadline.js';
import type { GeneratorControl } from './generator-control.js';
import {
  ignoresLoss,
  type KeeperEnvironment,
  type KeeperSettings,
  sanitizedHolderName,
  sharedRequest,
  type LeaseTiming,
} from './lease-options.js';
import { attemptWith, isSameGrant } from './fencing-token.js';
import type { LeaseListeners } from './lease-events.js';
import {
  type Answer,
  type HeldLease,
  isStopped,
  type MachineState,
  type Purpose,
  leaseRefusal,
} from './machine-state.js';
import type { LeaseClaim, LeaseReply, LeaseRequest, LeaseStore, RegistrySnapshot } from './lease-store.js';
import { asSnowflakeError, StoreCaller, unanswered } from './store-caller.js';
import { seeDocs } from '../core/see-docs.js';

/** How many attempts a request lists. */
const MAX_ATTEMPTS = 64;

/** The process's side of a store: requests a lease, releases it, reads the registry, and judges the replies. */
export class LeaseClient {
  private readonly caller: StoreCaller;
  private readonly holderName: string;
  private readonly believed: KeeperSettings;
  /** What a retry repeats, so that it gets the grant or renewal of a request whose reply was lost. */
  private unanswered: Pick<Required<LeaseRequest>, 'nonce' | 'attempts'> | undefined;
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
    // A fixed worker ID has no end and is of no range.
    const fixed = { firstWorkerId: 0, workerCount: Infinity, maxSkewMs: Infinity };
    this.believed = store.renewable ? settings : { ...settings, ...fixed };
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
      let call: RunningDeadline | undefined;
      const reply = await this.caller.call(
        (deadline) => this.store.lease(request, (call = deadline)),
        this.settings.callTimeoutMs,
        queueMs(),
      );
      // The clock is compared from when the call began to read. A call that has queued would show a clock that is seconds off.
      const readMs = call?.beganMs ?? clock.now();
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
    const retry = this.unanswered !== undefined;
    // Each attempt has a nonce of its own, because a copy of this process may make the next one.
    const fresh = environment.nonce();
    const attempt = attemptWith(fresh, this.control.clockCorrectionMs);
    const { nonce = `${fresh}:${this.holderName}`, attempts = [] } = this.unanswered ?? {};
    this.unanswered = { nonce, attempts: listed(attempt, attempts) };
    return {
      ...sharedRequest(settings),
      ...this.unanswered,
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
   * @param machine the state when the reply arrives
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
    if (grant && isStopped(phase) && !isLease(held, grant.lease)) return { type: 'granted', ...grant };
    try {
      if ('storeNowMs' in reply) {
        // What follows the reading of the clock can wait for others once more.
        const endMs = Math.min(receivedMs, readMs + this.settings.callTimeoutMs);
        this.correctClock(clockSkewMs(reply.storeNowMs, readMs, endMs), held === undefined);
      }
      const durationMs = Math.max(0, receivedMs - readMs);
      const context = {
        settings: this.believed,
        description: this.store.description,
        shown,
        held,
        durationMs,
      };
      const answer = this.admitted(answerOf(reply, context));
      // The next request is no retry of this one, which would return the same grant: that one is adopted now, or refused.
      if (grant || answer.type === 'kept' || answer.type === 'copied') this.unanswered = undefined;
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

function isLease(held: HeldLease | undefined, lease: HeldLease): boolean {
  return held !== undefined && isSameGrant(held.fencingToken, lease.fencingToken);
}

function claimOf({ workerId, fencingToken, untilMs }: HeldLease): LeaseClaim {
  return { workerId, fencingToken, untilMs };
}

/**
 * Puts an attempt before the earlier ones. If the list is full, one in the middle goes: the first ones may have been executed before the
 * connection broke, and the last ones may still be on their way.
 */
function listed(attempt: string, earlier: readonly string[]): readonly string[] {
  const kept = earlier.length < MAX_ATTEMPTS ? earlier : earlier.toSpliced(MAX_ATTEMPTS / 2 - 1, 1);
  return [attempt, ...kept];
}

/**
 * Returns how far the store's clock is ahead of the local one, and takes its reading for the middle of the call
 * (Cristian's algorithm, 1989). Wrong by at most half of the call's duration.
 */
function clockSkewMs(storeNowMs: number, readMs: number, receivedMs: number): number {
  return Math.round(storeNowMs - (readMs + receivedMs) / 2);
}

/** What a reply is judged by. */
interface ReplyContext {
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
function answerOf(reply: LeaseReply, context: ReplyContext): Answer {
  const { settings, description, shown, held, durationMs } = context;
  const corrupt = (problem: string): SnowflakeError => unbelievable(description, problem);
  switch (reply.outcome) {
    case 'new': {
      const grant = grantIn(reply);
      // The grant of the lease that is held came once more. Adopting it again would repeat IDs.
      if (held && isLease(held, grant.lease))
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
function grantIn(reply: Extract<LeaseReply, { outcome: 'new' }>): Grant {
  const { workerId, fencingToken, fromMs, untilMs, storeNowMs } = reply;
  return { lease: { workerId, fencingToken, fromMs, untilMs }, storeNowMs };
}

type Lease = Extract<LeaseReply, { outcome: 'new' | 'kept' }>;

/**
 * Returns why no store can have granted a window with this end; undefined if one can.
 *
 * A window begins at the store's time and is `windowMs` long. It ends later in two cases only. The clock of a server that
 * took over is behind, by at most `maxSkewMs`. Or the server's clock went back, and the lease that is shown ends later.
 */
function problemOfEnd(
  reply: Lease,
  { windowMs, maxSkewMs }: Pick<LeaseTiming, 'windowMs' | 'maxSkewMs'>,
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
