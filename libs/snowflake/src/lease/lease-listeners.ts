import { UNKNOWN_SECRETS } from '../core/errors/redaction.js';
import { InvalidOptionError } from '../core/errors/input-errors.js';
import type { LeaseEvent, LeaseListener } from './lease-event.js';

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
