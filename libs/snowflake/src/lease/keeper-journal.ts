import { UNKNOWN_SECRETS } from '../core/errors/redaction.js';
import {
  type Clock,
  type IdGenerator,
  InvalidOptionError,
  LeaseExhaustedError,
  type SnowflakeError,
  StoppedError,
} from '../core/index.js';
import type { LeaseEvent, LeaseListener, LeaseState } from './lease-event.js';
import type { LeaseRefusal } from './lease-refusal.js';

/** Keeps account of how a lease fares: its state, its outages, and who wants to know. */
export class KeeperJournal {
  /** The error of the last call that failed, as long as no later one succeeded. */
  lastError: SnowflakeError | undefined;
  /** The last refusal of a start that still waits. */
  refusal: LeaseRefusal | undefined;

  private readonly subscriptions = new Set<{ readonly listener: LeaseListener }>();
  private readonly untold: LeaseEvent[] = [];
  private isTelling = false;
  private readonly waitingForRight = new Set<() => void>();
  private current: LeaseState = 'idle';
  private clockTimeUntilMs = Number.NEGATIVE_INFINITY;
  private failures = 0;
  private failingSinceMs = 0;

  constructor(
    private readonly generator: IdGenerator,
    private readonly clock: Clock,
  ) {}

  /** @throws InvalidOptionError */
  subscribe(listener: LeaseListener): () => void {
    if (typeof listener !== 'function') {
      throw new InvalidOptionError(
        'listener',
        listener,
        'is no function',
        'Pass one that takes a LeaseEvent.',
      );
    }
    const subscription = { listener };
    this.subscriptions.add(subscription);
    return () => void this.subscriptions.delete(subscription);
  }

  /** Tells all listeners, one event after the other: what a listener brings about is told when all know the first. */
  emit(event: LeaseEvent): void {
    this.untold.push(event);
    if (this.isTelling) return;
    this.isTelling = true;
    for (let next = this.untold.shift(); next; next = this.untold.shift()) this.tell(next);
    this.isTelling = false;
  }

  /** Tells people what they have to know. Some of it comes from stores of the app's own. */
  warn(message: string): void {
    this.emit({ type: 'warning', message: UNKNOWN_SECRETS.clean(String(message)) });
  }

  private tell(event: LeaseEvent): void {
    // Of those that there are now: one that subscribes meanwhile is told of the next event.
    const subscriptions = [...this.subscriptions];
    for (const subscription of subscriptions) {
      if (this.subscriptions.has(subscription)) tellOne(subscription.listener, event);
    }
  }

  /** Goes over to a state, and says so if it is another one. */
  enter(state: LeaseState): void {
    if (state === this.current || this.current === 'stopped') return;
    const from = this.current;
    this.current = state;
    this.emit({ type: 'state', from, to: state });
    if (state === 'stopped') this.wakeAll();
  }

  /** Looks at the generator and says how things stand. */
  observe(): LeaseState {
    if (this.current !== 'idle' && this.current !== 'acquiring' && this.current !== 'stopped') {
      if (!this.generator.canIssue) this.enter('exhausted');
      else this.enter(this.generator.nowMs() > this.clockTimeUntilMs ? 'degraded' : 'active');
    }
    return this.current;
  }

  /** The right to issue was given or extended. */
  granted(clockTimeUntilMs: number): void {
    this.clockTimeUntilMs = clockTimeUntilMs;
    this.refusal = undefined;
    this.enter('active');
    this.observe();
    this.wakeAll();
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

  /** Resolves when an ID can be issued again. @throws LeaseExhaustedError after `timeoutMs`, StoppedError */
  nextRight(timeoutMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const wake = (): void => {
        const isStopped = this.current === 'stopped';
        if (!isStopped && !this.generator.canIssue) return;
        bound.cancel();
        this.waitingForRight.delete(wake);
        if (isStopped) reject(new StoppedError());
        else resolve();
      };
      const bound = this.clock.schedule(timeoutMs, () => {
        this.waitingForRight.delete(wake);
        const { currentWorkerId, windowEndMs } = this.generator;
        reject(new LeaseExhaustedError(currentWorkerId, new Date(windowEndMs)));
      });
      this.waitingForRight.add(wake);
    });
  }

  private wakeAll(): void {
    for (const wake of this.waitingForRight) wake();
  }
}

/** A listener's fault is not the lease's: there is nobody to tell but the listener itself. */
function tellOne(listener: (event: LeaseEvent) => unknown, event: LeaseEvent): void {
  try {
    // One that is async may fail later.
    Promise.resolve(listener(event)).catch(() => undefined);
  } catch {
    // Neither the other listeners nor the lease are kept from going on.
  }
}
