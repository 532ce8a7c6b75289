import { type Clock, systemClock } from 'nestjs-snowflake/core';
import {
  type BackfillReply,
  type BackfillRequest,
  type CallDeadline,
  type LeaseReply,
  type LeaseRequest,
  type LeaseStore,
  type RegistrySnapshot,
  type ReleaseReply,
  type ReleaseRequest,
  StoreCorruptError,
  type StoreSettings,
  StoreUnavailableError,
} from 'nestjs-snowflake/store';
import { KeepAlive } from 'nestjs-snowflake/internal/kit/keep-alive';
import { type Priority, Turns } from 'nestjs-snowflake/internal/kit/turns';
import { DEFAULT_CALL_TIMEOUT_MS, deadlineIn } from 'nestjs-snowflake/internal/kit/call-deadline';
import { unanswered } from 'nestjs-snowflake/internal/lease/store-caller';
import {
  checkBackfillRequest,
  checkLeaseRequest,
  checkReleaseRequest,
} from 'nestjs-snowflake/internal/stores/check-request';
import { backfillTransaction } from 'nestjs-snowflake/internal/stores/protocol/backfill-transaction';
import {
  leaseTransaction,
  releaseTransaction,
} from 'nestjs-snowflake/internal/stores/protocol/lease-transaction';
import { execute } from 'nestjs-snowflake/internal/stores/protocol/registry-calls';
import { type Attempt, type Choose, KeyValueRegistry, readRegistry } from './key-value-registry.js';
import { type KeyValueConnection, type KeyValuePort, Overtaken } from './key-value-port.js';

/** Longest pause after the first attempt that was overtaken, in milliseconds; each later one may be twice as long. */
const FIRST_PAUSE_MS = 4;
const LONGEST_PAUSE_MS = 256;
/** Which part of the time that is left, and of the window, one attempt may take. */
const ATTEMPT_SHARE = 1 / 4;

/** One call, which may take several attempts. */
interface CallKind {
  readonly deadline: CallDeadline;
  /** Of the random choices of later attempts. */
  readonly seed: number;
  /** Of the turns that its attempts take; absent if they take none. */
  readonly priority?: Priority;
  /** Of the lease that it requests. Without a window, an attempt may take all the time that is left. */
  readonly windowMs?: number;
}

/** Keeps leases in a store of keys and values with atomic conditional writes. */
export class KeyValueLeaseStore implements LeaseStore {
  readonly renewable = true;
  private callTimeoutMs = DEFAULT_CALL_TIMEOUT_MS;
  private readonly turns: Turns | undefined;
  private readonly keepAlive = new KeepAlive();
  /** Counts the calls of {@link close}. A call that began before one of them begins no attempt after it. */
  private closings = 0;

  constructor(
    readonly description: string,
    private readonly connection: KeyValueConnection,
    private readonly clock: Pick<Clock, 'now' | 'schedule'> = systemClock,
  ) {
    if (connection.takesTurns) this.turns = new Turns(clock);
  }

  open(settings: StoreSettings): void {
    this.callTimeoutMs = settings.callTimeoutMs;
    this.keepAlive.begin();
    this.connection.open(settings);
  }

  async lease(request: LeaseRequest, deadline: CallDeadline = this.deadline()): Promise<LeaseReply> {
    checkLeaseRequest(request);
    const { searchSeed: seed, windowMs } = request;
    const priority = request.claim || request.preferLongestOffline ? 'holder' : 'newcomer';
    return this.attempts({ deadline, seed, priority, windowMs }, (port, attempt) =>
      execute(leaseTransaction(request), new KeyValueRegistry(port, attempt, request)),
    );
  }

  async release(request: ReleaseRequest, deadline: CallDeadline = this.deadline()): Promise<ReleaseReply> {
    checkReleaseRequest(request);
    const call = { deadline, seed: request.workerId, priority: 'holder' } as const;
    const reply = await this.attempts(call, (port, attempt) =>
      execute(releaseTransaction(request), new KeyValueRegistry(port, attempt)),
    );
    if (reply.outcome === 'corrupt') throw new StoreCorruptError(this.description, reply.field, reply.stored);
    return reply;
  }

  async backfill(request: BackfillRequest, deadline: CallDeadline = this.deadline()): Promise<BackfillReply> {
    checkBackfillRequest(request);
    const call = { deadline, seed: request.firstMs % 2 ** 31, priority: 'holder' } as const;
    return this.attempts(call, (port, attempt) =>
      execute(backfillTransaction(request), new KeyValueRegistry(port, attempt)),
    );
  }

  /** Takes no turn: leases don't wait until a large registry has been read. */
  inspect(): Promise<RegistrySnapshot> {
    return this.attempts({ deadline: this.deadline(), seed: 0 }, readRegistry);
  }

  reconnect(): void {
    this.connection.reconnect();
  }

  async close(): Promise<void> {
    this.closings += 1;
    await this.connection.close();
    this.keepAlive.end();
  }

  /** Begins again for as long as others overtake the call and time is left. Nothing was written by an attempt that was overtaken. */
  private async attempts<Reply>(
    { deadline, seed, priority, windowMs }: CallKind,
    attemptWith: (port: KeyValuePort, attempt: Attempt) => Promise<Reply>,
  ): Promise<Reply> {
    const choose = chooser(seed);
    const { closings } = this;
    const late = (): Error => unanswered(this, deadline);
    deadline.queue?.();
    let port: KeyValuePort | undefined;
    for (let index = 0; ; index += 1) {
      const begin = async (): Promise<Reply> => {
        if (closings !== this.closings) throw this.wasClosed();
        const ofAttempt = windowMs === undefined ? deadline : this.attemptDeadline(deadline, windowMs);
        port = this.connection.port(ofAttempt, port);
        return attemptWith(port, { index, choose, hasRead: () => noteReading(deadline) });
      };
      try {
        const turn = { priority, withinMs: deadline.remainingMs(), expired: late };
        return await (this.turns && priority ? this.turns.inTurn(begin, turn) : begin());
      } catch (error) {
        if (!(error instanceof Overtaken)) throw error;
      }
      deadline.queue?.();
      await this.pause(choose(Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(index, 10))));
      if (deadline.remainingMs() > 0) continue;
      throw new StoreUnavailableError(
        `${this.description} is unavailable: other processes overtook this call ${index + 1} times within ${deadline.timeoutMs} ms.`,
      );
    }
  }

  /**
   * Returns the deadline of one attempt of a call that may wait long. Each request of a crowd waits in the server for those of others, so
   * an attempt may take more than `callTimeoutMs`: to give it up would throw away what the server has done for it. It takes a part of
   * the time that is left, so that the call can go on to the next server if this one hangs, and of the window, which begins to run when
   * the server's clock is read.
   */
  private attemptDeadline(call: CallDeadline, windowMs: number): CallDeadline {
    const longestMs = Math.min(call.remainingMs(), windowMs) * ATTEMPT_SHARE;
    const attempt = deadlineIn(this.clock, Math.max(this.callTimeoutMs, Math.ceil(longestMs)));
    const { timeoutMs } = attempt;
    return { timeoutMs, remainingMs: () => Math.min(attempt.remainingMs(), call.remainingMs()) };
  }

  private wasClosed(): StoreUnavailableError {
    return new StoreUnavailableError(`${this.description} is unavailable: it was closed during this call.`);
  }

  /** Nothing else keeps the process alive meanwhile: an idle connection does not. */
  private pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.clock.schedule(ms, resolve).keepProcessAlive?.());
  }

  private deadline(): CallDeadline {
    return deadlineIn(this.clock, this.callTimeoutMs);
  }
}

/**
 * Returns numbers that differ from process to process, because the keeper chooses a random seed for each call (Vigna's SplitMix
 * finalizer, on 32 bits).
 */
function chooser(seed: number): Choose {
  let state = seed >>> 0;
  return (count) => {
    state = (state + 0x9e37_79b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x85eb_ca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35);
    return Math.floor((((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32) * count);
  };
}

/** The store's clock was read just now. The write can still wait for others, because the server refuses it if anything has changed. */
function noteReading(deadline: CallDeadline): void {
  deadline.begin?.();
  deadline.queue?.();
}
