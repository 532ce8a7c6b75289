import type { Clock, IdGenerator, SnowflakeError, SnowflakeErrorCode } from '../core/index.js';
import { IssuingWait } from './issuing-wait.js';
import type { LeaseState } from './lease-event.js';
import { LeaseListeners } from './lease-listeners.js';
import type { LeaseRefusal } from './lease-refusal.js';

/** Keeps account of the state of a lease and of its outages. */
export class KeeperJournal {
  readonly listeners = new LeaseListeners();
  /** The error of the last call that failed, until a later one succeeds. */
  lastError: SnowflakeError | undefined;
  /** The last refusal, while a start waits. */
  refusal: LeaseRefusal | undefined;
  /** How many calls have failed, by the code of their error. */
  readonly failedCalls = new Map<SnowflakeErrorCode, number>();

  private readonly waits: IssuingWait;
  private current: LeaseState = 'idle';
  private clockTimeUntilMs = Number.NEGATIVE_INFINITY;
  private failures = 0;
  private failingSinceMs = 0;

  constructor(
    private readonly generator: IdGenerator,
    private readonly clock: Clock,
  ) {
    this.waits = new IssuingWait(generator, clock);
  }

  /** Enters a state, and tells the listeners if it is a new one. */
  enter(state: LeaseState): void {
    if (state === this.current || this.current === 'stopped') return;
    const from = this.current;
    this.current = state;
    this.listeners.emit({ type: 'state', from, to: state });
    if (state === 'stopped') this.waits.stop();
  }

  /** Updates the state from the generator. @returns the state */
  observe(): LeaseState {
    if (this.current !== 'idle' && this.current !== 'acquiring' && this.current !== 'stopped') {
      if (!this.generator.canIssue) this.enter('exhausted');
      else {
        const nowMs = readingOf(() => this.generator.nowMs());
        this.enter(nowMs > this.clockTimeUntilMs ? 'degraded' : 'active');
      }
    }
    return this.current;
  }

  /** Notes that a lease was acquired or renewed. */
  granted(clockTimeUntilMs: number): void {
    this.clockTimeUntilMs = clockTimeUntilMs;
    this.refusal = undefined;
    this.enter('active');
    this.observe();
    this.waits.wake();
  }

  /** Notes that a call failed. */
  failed(error: SnowflakeError): void {
    this.lastError = error;
    this.failedCalls.set(error.code, (this.failedCalls.get(error.code) ?? 0) + 1);
    this.failures++;
    if (this.failures === 1) {
      this.failingSinceMs = readingOf(() => this.clock.now());
      this.listeners.emit({ type: 'renewal-failed', error });
    }
    this.observe();
  }

  /** Notes that a call succeeded. */
  succeeded(): void {
    this.lastError = undefined;
    if (this.failures === 0) return;
    const { failures } = this;
    this.failures = 0;
    const outageMs = Math.max(0, readingOf(() => this.clock.now()) - this.failingSinceMs || 0);
    this.listeners.emit({ type: 'recovered', failures, outageMs });
  }

  /** Notes that a start has to wait. Tells the listeners once per reason. */
  waiting(refusal: LeaseRefusal): void {
    const { reason, waitMs } = refusal;
    const known = this.refusal?.reason === reason;
    this.refusal = refusal;
    this.succeeded();
    if (!known) this.listeners.emit({ type: 'waiting', reason, waitMs });
  }

  /** Resolves when an ID can be issued again. @throws LeaseExhaustedError after `timeoutMs`, StoppedError */
  untilIssuing(timeoutMs: number): Promise<void> {
    return this.waits.untilIssuing(timeoutMs);
  }
}

/** Reads a clock, or returns NaN if it throws: a clock that has failed must not keep its failure from being reported. */
function readingOf(now: () => number): number {
  try {
    return now();
  } catch {
    return Number.NaN;
  }
}
