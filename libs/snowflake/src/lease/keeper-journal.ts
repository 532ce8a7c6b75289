import { type Clock, type IdGenerator, LeaseExhaustedError, type SnowflakeError } from '../core/index.js';
import type { LeaseEvent, LeaseListener, LeaseState } from './lease-event.js';
import type { LeaseRefusal } from './lease-refusal.js';

/** Keeps account of how a lease fares: its state, its outages, and who wants to know. */
export class KeeperJournal {
  /** The error of the last call that failed, as long as no later one succeeded. */
  lastError: SnowflakeError | undefined;
  /** The last refusal of a start that still waits. */
  refusal: LeaseRefusal | undefined;

  private readonly listeners = new Set<LeaseListener>();
  private readonly waitingForRight = new Set<() => void>();
  private current: LeaseState = 'idle';
  private trueTimeUntilMs = Number.NEGATIVE_INFINITY;
  private failures = 0;
  private failingSinceMs = 0;

  constructor(
    private readonly generator: IdGenerator,
    private readonly clock: Clock,
  ) {}

  subscribe(listener: LeaseListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Tells all listeners. One that throws keeps neither the others nor the lease from going on. */
  emit(event: LeaseEvent): void {
    for (const listener of this.listeners) {
      try {
        listener(event);
      } catch {
        // A listener's fault is not the lease's: there is nobody to tell but the listener itself.
      }
    }
  }

  /** Goes over to a state, and says so if it is another one. */
  enter(state: LeaseState): void {
    if (state === this.current || this.current === 'stopped') return;
    const from = this.current;
    this.current = state;
    this.emit({ type: 'state', from, to: state });
  }

  /** Looks at the generator and says how things stand. */
  observe(): LeaseState {
    if (this.current !== 'idle' && this.current !== 'acquiring' && this.current !== 'stopped') {
      if (!this.generator.canIssue) this.enter('exhausted');
      else this.enter(this.generator.time.nowMs() > this.trueTimeUntilMs ? 'overtime' : 'active');
    }
    return this.current;
  }

  /** The right to issue was given or extended. */
  granted(trueTimeUntilMs: number): void {
    this.trueTimeUntilMs = trueTimeUntilMs;
    this.refusal = undefined;
    this.enter('active');
    this.observe();
    for (const wake of this.waitingForRight) wake();
  }

  failed(error: SnowflakeError): void {
    this.lastError = error;
    this.failures++;
    if (this.failures === 1) {
      this.failingSinceMs = this.clock.now();
      this.emit({ type: 'renewal-failed', error });
    }
    this.observe();
  }

  succeeded(): void {
    this.lastError = undefined;
    if (this.failures === 0) return;
    const { failures } = this;
    this.failures = 0;
    this.emit({ type: 'recovered', failures, outageMs: Math.max(0, this.clock.now() - this.failingSinceMs) });
  }

  /** A start has to wait. Said once per reason. */
  waiting(refusal: LeaseRefusal): void {
    const { reason, waitMs } = refusal;
    const known = this.refusal?.reason === reason;
    this.refusal = refusal;
    this.succeeded();
    if (!known) this.emit({ type: 'waiting', reason, waitMs });
  }

  /** Resolves when an ID can be issued again. @throws LeaseExhaustedError after `timeoutMs` */
  nextRight(timeoutMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const wake = (): void => {
        if (!this.generator.canIssue) return;
        bound.cancel();
        this.waitingForRight.delete(wake);
        resolve();
      };
      const bound = this.clock.schedule(timeoutMs, () => {
        this.waitingForRight.delete(wake);
        const { currentWorkerId, time } = this.generator;
        reject(new LeaseExhaustedError(currentWorkerId, new Date(time.windowEndMs)));
      });
      this.waitingForRight.add(wake);
    });
  }
}
