import { safeReason } from '../core/errors/foreign-error.js';
import { type Clock, InvalidOptionError, memoryOf } from '../core/index.js';
import type { LeaseListeners } from './lease-listeners.js';
import type { LeaseStore, StoreSettings } from './lease-store.js';
import { asSnowflakeError } from './store-caller.js';
import { WakeableSleep } from './wakeable-sleep.js';

/** Longer than a store of this library takes to leave a server that hangs. */
export const CLOSE_TIMEOUT_MS = 500;

class Occupancy {
  isTaken = false;
}

/** The use of a store by one ID maker, from the moment it takes the store until it has closed it. */
export class StoreUse {
  private isTaken = false;
  private isOpening = false;
  private isOver = false;

  constructor(
    private readonly store: LeaseStore,
    private readonly listeners: LeaseListeners,
    private readonly clock: Clock,
  ) {}

  /** Keeps the store from other ID makers. @throws InvalidOptionError if another one uses it */
  take(): void {
    takeStore(this.store);
    this.isTaken = true;
  }

  /**
   * Opens the store, however long it takes. If the use has ended meanwhile, closes the store immediately and reports a
   * failure as a warning, because no caller waits for it.
   *
   * @throws SnowflakeError
   */
  async open(settings: StoreSettings): Promise<void> {
    this.isOpening = true;
    try {
      await this.store.open?.(settings);
    } catch (error) {
      if (this.isOver) this.warn(`failed to open after the ID maker had stopped: ${safeReason(error)}`);
      throw asSnowflakeError(error, this.store.description);
    } finally {
      this.isOpening = false;
      if (this.isOver) await this.end();
    }
  }

  /**
   * Closes the store and lets others use it. If the store is still opening, {@link open} closes it later, and no caller
   * waits. If the store does not close in time, it keeps closing, and others can't use it until it has closed. Bounded;
   * never rejects.
   */
  async end(): Promise<void> {
    const isFirst = !this.isOver;
    this.isOver = true;
    if (!this.isTaken) return;
    if (this.isOpening) {
      if (isFirst)
        this.warn('was still opening when the ID maker stopped; it is closed as soon as it is open');
      return;
    }
    this.isTaken = false;
    await this.closed();
  }

  private async closed(): Promise<void> {
    let isClosed = false;
    const patience = new WakeableSleep(this.clock);
    const closing = this.close().then(() => {
      isClosed = true;
      leaveStore(this.store);
      patience.wake();
    });
    await Promise.race([closing, patience.for(CLOSE_TIMEOUT_MS)]);
    if (!isClosed)
      this.warn(`did not close within ${CLOSE_TIMEOUT_MS} ms; it cannot be used again until it has`);
  }

  private async close(): Promise<void> {
    try {
      await this.store.close();
    } catch (error) {
      this.warn(`could not be closed: ${safeReason(error)}`);
    }
  }

  private warn(what: string): void {
    this.listeners.warn(`${this.store.description} ${what}`);
  }
}

/**
 * Notes that an ID maker uses a store from now on. A store has one connection, which its user opens and closes, and some
 * stores remember what their user holds. ID makers can share a store that has nothing to open.
 *
 * @throws InvalidOptionError if another ID maker uses it
 */
function takeStore(store: LeaseStore): void {
  if (!store.open) return;
  const occupancy = memoryOf(store, Occupancy);
  if (occupancy.isTaken) {
    throw new InvalidOptionError(
      'store',
      store.description,
      'is in use by another ID maker',
      'Make a store for each ID maker: call the function that makes it again, e.g. in useFactory of forRootAsync.',
    );
  }
  occupancy.isTaken = true;
}

/** Notes that the store was closed. */
function leaveStore(store: LeaseStore): void {
  memoryOf(store, Occupancy).isTaken = false;
}
