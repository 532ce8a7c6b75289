import {
  ClockSkewError,
  type IdGenerator,
  LayoutMismatchError,
  type SnowflakeError,
  StoreCorruptError,
} from '../core/index.js';
import { problemOfEnd } from './believable-end.js';
import { FixedWorkerIdUse } from './fixed-worker-id-use.js';
import type { KeeperEnvironment, KeeperSettings } from './keeper-settings.js';
import { sanitizedHolderName } from './keeper-settings.js';
import type { KeeperJournal } from './keeper-journal.js';
import type { LeaseClaim, LeaseReply, LeaseRequest, LeaseStore } from './lease-store.js';
import { type LeaseRefusal, leaseRefusal } from './lease-refusal.js';
import { StoreCaller } from './store-caller.js';

type NewLease = Extract<LeaseReply, { outcome: 'new' }>;
type AcquireCause = 'start' | 'lost' | 'switch';

/** The lease that a process holds: acquires, renews and returns it, and interprets the replies. */
export class LeaseHolding {
  /** The lease as the store last confirmed it. */
  lease: LeaseClaim | undefined;
  /** Whether less than a whole window was left of the lease when it was adopted. */
  isShort = false;

  private readonly caller: StoreCaller;
  private readonly fixedUse: FixedWorkerIdUse;
  private readonly holderName: string;
  private nonce: string;
  private nonceMayBeUsed = false;
  private released = false;

  constructor(
    private readonly store: LeaseStore,
    private readonly generator: IdGenerator,
    private readonly settings: KeeperSettings,
    private readonly environment: KeeperEnvironment,
    private readonly journal: KeeperJournal,
  ) {
    this.caller = new StoreCaller(store, environment.clock);
    const space = { layout: generator.layout.fingerprint, datacenterId: settings.datacenterId };
    this.fixedUse = new FixedWorkerIdUse(environment.clock, space);
    this.holderName = sanitizedHolderName(environment.holderName);
    this.nonce = this.newNonce();
  }

  /** Whether timestamps run so far ahead of the clock that only another worker ID brings them back. */
  get isFarAhead(): boolean {
    const { onClockRollback, maxSkewMs } = this.settings;
    if (onClockRollback !== 'switch' || !this.store.renewable) return false;
    return this.generator.driftMs > maxSkewMs + this.generator.maxDriftMs;
  }

  /** Acquires a worker ID without showing a lease. @returns the refusal; undefined if a lease was adopted */
  async acquire(cause: AcquireCause): Promise<LeaseRefusal | undefined> {
    const reply = await this.ask(undefined);
    if (reply.outcome !== 'new') return this.refusal(reply);
    try {
      this.adopt(reply, cause);
    } catch (error) {
      // Otherwise the next ID maker could not have the store. A lease that was adopted is given back by the stop.
      if (this.lease === undefined) await this.giveBack(reply, reply.fromMs, this.settings.callTimeoutMs);
      throw error;
    }
    return undefined;
  }

  /** Extends the lease, or adopts the worker ID that the store grants instead. */
  async renew(): Promise<LeaseRefusal | undefined> {
    const held = this.lease;
    const { clock } = this.environment;
    const sentMs = clock.now();
    const reply = await this.ask(held);
    const durationMs = Math.max(0, clock.now() - sentMs);
    if (this.released) return undefined;
    if (reply.outcome === 'kept' && held) {
      this.refuseUnbelievable(reply, held);
      this.lease = { ...held, untilMs: reply.untilMs };
      this.generator.extend(reply.untilMs, this.clockTimeUntilMs(reply.untilMs));
      this.journal.granted(this.clockTimeUntilMs(reply.untilMs));
      const { workerId } = held;
      this.journal.listeners.emit({ type: 'renewed', workerId, untilMs: reply.untilMs, durationMs });
      return undefined;
    }
    if (reply.outcome === 'new') {
      if (held) this.journal.listeners.emit({ type: 'lost', workerId: held.workerId });
      this.adopt(reply, 'lost');
      return undefined;
    }
    return this.refusal(reply);
  }

  /** Switches to another worker ID and gives the old one back. If no other is free, renews the old one. */
  async switchOrRenew(): Promise<LeaseRefusal | undefined> {
    const old = this.lease;
    const reply = await this.ask(undefined, true);
    // The stop gives the old lease back; a new one stays unused and ends by itself.
    if (this.released) return undefined;
    if (reply.outcome !== 'new') return this.renew();
    const { lastUsedMs } = this.generator;
    this.adopt(reply, 'switch');
    if (old) await this.giveBack(old, lastUsedMs, this.settings.callTimeoutMs);
    return undefined;
  }

  /** Stops the generator for good and gives the lease back. Bounded; never rejects. */
  async release(timeoutMs: number): Promise<void> {
    this.released = true;
    const { lastUsedMs } = this.generator;
    this.generator.stop();
    this.fixedUse.end(lastUsedMs);
    if (this.lease) await this.giveBack(this.lease, lastUsedMs, timeoutMs);
  }

  private async giveBack(
    { workerId, fencingToken, untilMs }: LeaseClaim,
    lastUsedMs: number,
    timeoutMs: number,
  ): Promise<void> {
    try {
      const reply = await this.caller.call(
        (deadline) => this.store.release({ workerId, fencingToken, lastUsedMs }, deadline),
        timeoutMs,
      );
      const takenUntilMs = reply.outcome === 'released' ? reply.takenUntilMs : undefined;
      this.journal.listeners.emit({ type: 'released', workerId, lastUsedMs, takenUntilMs });
    } catch {
      this.journal.listeners.emit({ type: 'release-failed', workerId, untilMs });
    }
  }

  private async ask(claim: LeaseClaim | undefined, preferOffline = false): Promise<LeaseReply> {
    const { settings, environment } = this;
    const request: LeaseRequest = {
      layout: settings.fingerprint,
      firstWorkerId: settings.firstWorkerId,
      workerCount: settings.workerCount,
      windowMs: settings.windowMs,
      maxSkewMs: settings.maxSkewMs,
      nonce: this.nonce,
      retry: this.nonceMayBeUsed,
      assumeNew: false,
      // A process that has held a lease here knows what was lost, and doesn't ignore it.
      ignoreLoss: settings.possibleLoss === 'ignore' && this.lease === undefined,
      searchSeed: Math.floor(environment.random() * 2 ** 31),
      preferOffline,
      claim,
    };
    const sentMs = environment.clock.now();
    this.nonceMayBeUsed = true;
    const reply = await this.caller.call(
      (deadline) => this.store.lease(request, deadline),
      settings.callTimeoutMs,
    );
    if (!('storeNowMs' in reply)) return reply;
    try {
      this.correctClock(clockSkewMs(reply.storeNowMs, sentMs, environment.clock.now()));
    } catch (error) {
      // Otherwise a process in a restart loop would take one more worker ID per start.
      if (reply.outcome === 'new') await this.giveBack(reply, reply.fromMs, settings.callTimeoutMs);
      throw error;
    }
    return reply;
  }

  private correctClock(rawSkewMs: number): void {
    const skewMs = rawSkewMs - this.generator.correctionMs;
    if (Math.abs(skewMs) <= this.settings.maxSkewMs) return;
    if (this.settings.strictClock && !this.lease) throw new ClockSkewError(skewMs, this.settings.maxSkewMs);
    this.generator.correctClock(rawSkewMs);
    this.journal.listeners.emit({ type: 'clock-corrected', offsetMs: rawSkewMs, skewMs });
  }

  private adopt(reply: NewLease, cause: AcquireCause): void {
    // A grant that arrives after the release stays unused and ends by itself. Adopting one twice would repeat IDs.
    if (this.released || reply.fencingToken === this.lease?.fencingToken) return;
    if (this.store.renewable) this.refuseUnbelievable(reply);
    const { workerId, fencingToken, untilMs } = reply;
    const fromMs = this.store.renewable ? reply.fromMs : this.afterEarlierUse(reply);
    const previousWorkerId = this.lease?.workerId;
    const clockTimeUntilMs = this.clockTimeUntilMs(untilMs);
    const { datacenterId } = this.settings;
    // First, because it throws if the worker ID does not fit its field.
    this.generator.adopt({ workerId, datacenterId, fromMs, untilMs, clockTimeUntilMs });
    this.lease = { workerId, fencingToken, untilMs };
    this.isShort = untilMs - reply.storeNowMs < this.settings.windowMs;
    this.changeNonce();
    const behindMs = fromMs - this.generator.nowMs();
    // The window begins in the future of this clock, but the store's clock says that it has begun.
    if (behindMs > 0) this.generator.correctClock(this.generator.correctionMs + behindMs);
    this.journal.granted(clockTimeUntilMs);
    this.journal.listeners.emit({ type: 'acquired', workerId, fromMs, untilMs, cause, previousWorkerId });
  }

  /** @throws StoreCorruptError if no store can have granted a window with this end */
  private refuseUnbelievable(reply: Extract<LeaseReply, { untilMs: number }>, shown?: LeaseClaim): void {
    const problem = problemOfEnd(reply, this.settings, shown);
    if (problem === undefined) return;
    // Otherwise each retry would get the same grant again.
    if (reply.outcome === 'new') this.changeNonce();
    throw this.unexpected(problem);
  }

  /** Returns the start of the grant of a fixed worker ID. @throws InvalidOptionError if another maker uses the worker ID */
  private afterEarlierUse({ workerId, fromMs, storeNowMs }: NewLease): number {
    const startMs = this.fixedUse.begin(workerId, fromMs);
    if (startMs - storeNowMs > this.settings.maxSkewMs) {
      this.journal.listeners.warn(
        `Worker ID ${workerId} continues after ${new Date(startMs).toISOString()}, which this process has used already. ` +
          `The clock has stepped back to ${new Date(storeNowMs).toISOString()}.`,
      );
    }
    return startMs;
  }

  private clockTimeUntilMs(untilMs: number): number {
    return untilMs - this.settings.reserveMs;
  }

  private refusal(reply: Exclude<LeaseReply, NewLease>): LeaseRefusal {
    const { description } = this.store;
    switch (reply.outcome) {
      case 'layout':
        throw new LayoutMismatchError(description, this.settings.fingerprint, reply.storedLayout);
      case 'corrupt':
        throw new StoreCorruptError(description, reply.field, reply.stored);
      case 'kept':
        throw this.unexpected('kept, though no lease was shown');
      default:
        return leaseRefusal(reply, description, this.settings.workerCount);
    }
  }

  private unexpected(reply: string): SnowflakeError {
    return new StoreCorruptError(this.store.description, 'reply', reply);
  }

  private changeNonce(): void {
    this.nonce = this.newNonce();
    this.nonceMayBeUsed = false;
  }

  private newNonce(): string {
    return `${this.environment.nonce()}:${this.holderName}`;
  }
}

/**
 * Returns how far the store's clock is ahead of the local one, and takes its reading for the middle of the call
 * (Cristian's algorithm, 1989). Wrong by at most half of the call's duration.
 */
function clockSkewMs(storeNowMs: number, sentMs: number, receivedMs: number): number {
  return Math.round(storeNowMs - (sentMs + receivedMs) / 2);
}
