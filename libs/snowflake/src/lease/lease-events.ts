import type { SnowflakeError } from '../core/errors/snowflake-error.js';
import { UNKNOWN_SECRETS } from '../core/errors/redaction.js';
import { InvalidOptionError } from '../core/errors/input-errors.js';

/**
 * The state of the lease of one ID maker.
 *
 * - `idle`: not started.
 * - `acquiring`: no lease yet.
 * - `active`: IDs have exact timestamps.
 * - `degraded`: the lease could not be renewed; IDs continue in logical time within the reserve.
 * - `exhausted`: the window is used up; issuing fails closed until the store answers again.
 * - `stopped`: no IDs are issued any more; the lease was released.
 */
export type LeaseState = 'idle' | 'acquiring' | 'active' | 'degraded' | 'exhausted' | 'stopped';

/** Something that happens to a lease. For logs and monitoring: nothing depends on an event. */
export type LeaseEvent =
  | {
      readonly type: 'acquired';
      readonly workerId: number;
      readonly fromMs: number;
      readonly untilMs: number;
      /**
       * `start`: the first lease; `lost`: the previous one could not be renewed; `copied`: a copy of this process has it;
       * `switch`: after a clock rollback.
       */
      readonly cause: 'start' | 'lost' | 'copied' | 'switch';
      readonly previousWorkerId?: number;
    }
  /** `durationMs` is how long the call took by the clock of the maker. */
  | {
      readonly type: 'renewed';
      readonly workerId: number;
      readonly untilMs: number;
      readonly durationMs: number;
    }
  /** A request for a lease failed. Sent once per outage, at its first failure. Before the first lease, it is sent again for the first failure that retrying can't fix. */
  | {
      readonly type: 'request-failed';
      readonly error: SnowflakeError;
      /**
       * If the outage lasts, IDs keep exact timestamps until this instant, and use those of the reserve after it. Absent
       * before a lease.
       */
      readonly clockTimeUntilMs?: number;
      /** End of the window, the last timestamp of the reserve. Absent before a lease. */
      readonly untilMs?: number;
    }
  /** The first success after a `request-failed`. */
  | {
      readonly type: 'recovered';
      /** How many calls failed until the store answered again. */
      readonly failures: number;
      /** How long it took until the store answered again. */
      readonly outageMs: number;
      /** How long the store then answered, but granted no lease. Absent if it granted one at once. */
      readonly waitedMs?: number;
    }
  | { readonly type: 'lost'; readonly workerId: number }
  /**
   * Another process has renewed the lease with the memory of this one, as after a snapshot of a virtual machine was resumed twice:
   * the IDs that both have generated since then can be equal. This process generates none until it has another worker ID; `acquired`
   * follows.
   */
  | {
      readonly type: 'copied';
      readonly workerId: number;
      /** The last timestamp that an ID of this process may have used. */
      readonly lastUsedMs: number;
    }
  | {
      readonly type: 'released';
      readonly workerId: number;
      readonly lastUsedMs: number;
      /**
       * Set if the worker ID stays reserved until its window ends, because the next process may use the rest of the
       * window.
       */
      readonly reservedUntilMs?: number;
    }
  /** The release failed: the worker ID becomes free when its window ends. */
  | {
      readonly type: 'release-failed';
      readonly workerId: number;
      readonly untilMs: number;
      readonly error: SnowflakeError;
    }
  /** Something that an operator should know about a store, or that went wrong when the ID maker stopped. */
  | { readonly type: 'warning'; readonly message: string }
  /** The state changed. A change by time alone is sent after the next call to the store. */
  | { readonly type: 'state'; readonly from: LeaseState; readonly to: LeaseState }
  | { readonly type: 'clock-rollback'; readonly backwardsMs: number }
  | { readonly type: 'clock-corrected'; readonly offsetMs: number; readonly skewMs: number }
  /**
   * The store grants nothing for `waitMs`, to a process that starts or to a running process whose window ended in an outage. Sent once per
   * reason.
   */
  | {
      readonly type: 'waiting';
      readonly reason: 'empty' | 'history' | 'full' | 'alone';
      readonly waitMs: number;
    };

/**
 * Called for each event, in order, and never inside a call that generates IDs, so it may generate some itself. What it throws is ignored.
 */
export type LeaseListener = (event: LeaseEvent) => void;

/** The listeners of a lease. */
export class LeaseListeners {
  private readonly subscriptions = new Set<{ readonly listener: LeaseListener }>();
  /** Events to dispatch. The first one is being dispatched. */
  private readonly queue: LeaseEvent[] = [];

  /** Adds a listener. @returns a function that removes it. @throws InvalidOptionError */
  subscribe(listener: LeaseListener): () => void {
    if (typeof listener !== 'function') {
      throw new InvalidOptionError(
        'listener',
        listener,
        'is not a function',
        'Pass a function that takes a LeaseEvent.',
      );
    }
    const subscription = { listener };
    this.subscriptions.add(subscription);
    return () => void this.subscriptions.delete(subscription);
  }

  /** Calls all listeners. An event that a listener causes follows when all of them have received the first. */
  emit(event: LeaseEvent): void {
    const isDispatching = this.queue.length > 0;
    this.queue.push(event);
    if (isDispatching) return;
    for (let next: LeaseEvent | undefined = event; next; next = this.queue[0]) {
      this.dispatch(next);
      this.queue.shift();
    }
  }

  /** Emits what operators must know. A store of the app may have written the message. */
  warn(message: string): void {
    this.emit({ type: 'warning', message: UNKNOWN_SECRETS.clean(String(message)) });
  }

  private dispatch(event: LeaseEvent): void {
    // A listener that subscribes meanwhile gets the next event first.
    const subscriptions = [...this.subscriptions];
    for (const subscription of subscriptions) {
      if (this.subscriptions.has(subscription)) notify(subscription.listener, event);
    }
  }
}

/** Ignores what a listener throws: neither the other listeners nor the lease may suffer from it. */
function notify(listener: (event: LeaseEvent) => unknown, event: LeaseEvent): void {
  try {
    // An async listener may fail later.
    Promise.resolve(listener(event)).catch(() => undefined);
  } catch {
    // See above.
  }
}
