import { UNKNOWN_SECRETS } from '../core/errors/redaction.js';
import { InvalidOptionError } from '../core/index.js';
import type { LeaseEvent, LeaseListener } from './lease-event.js';

/** Tells the listeners of a lease what happens to it. */
export class LeaseListeners {
  private readonly subscriptions = new Set<{ readonly listener: LeaseListener }>();
  private readonly untold: LeaseEvent[] = [];
  private isTelling = false;

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

  /** Tells all listeners. An event that a listener causes follows once all of them know the first. */
  emit(event: LeaseEvent): void {
    this.untold.push(event);
    if (this.isTelling) return;
    this.isTelling = true;
    for (let next = this.untold.shift(); next; next = this.untold.shift()) this.tell(next);
    this.isTelling = false;
  }

  /** Tells operators what they have to know. A store of the app may have written the message. */
  warn(message: string): void {
    this.emit({ type: 'warning', message: UNKNOWN_SECRETS.clean(String(message)) });
  }

  private tell(event: LeaseEvent): void {
    // A listener that subscribes meanwhile hears of the next event first.
    const subscriptions = [...this.subscriptions];
    for (const subscription of subscriptions) {
      if (this.subscriptions.has(subscription)) tellOne(subscription.listener, event);
    }
  }
}

/** Ignores what a listener throws: neither the other listeners nor the lease may suffer from it. */
function tellOne(listener: (event: LeaseEvent) => unknown, event: LeaseEvent): void {
  try {
    // An async listener may fail later.
    Promise.resolve(listener(event)).catch(() => undefined);
  } catch {
    // See above.
  }
}
