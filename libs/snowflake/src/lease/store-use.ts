import { safeReason } from '../core/errors/foreign-error.js';
import { type Clock, InvalidOptionError } from '../core/index.js';
import type { LeaseListeners } from './lease-listeners.js';
import type { LeaseStore, StoreSettings } from './lease-store.js';
import { asSnowflakeError } from './store-caller.js';
import { WakeableSleep } from './wakeable-sleep.js';

/** Longer than the stores of this library take to say goodbye to a server that hangs. */
export const CLOSE_TIMEOUT_MS = 500;

const inUse = new WeakSet<LeaseStore>();

/** A store in the hands of one ID maker, from the moment it takes it until it has closed it. */
export class StoreUse {
  private isTaken = false;
  private isOpening = false;
  private isOver = false;

  constructor(
    private readonly store: LeaseStore,
    private readonly listeners: LeaseListeners,
    private readonly clock: Clock,
  ) {}

  /** Keeps the store from other ID makers. @throws InvalidOptionError when another one uses it */
  take(): void {
    takeStore(this.store);
    this.isTaken = true;
  }

  /**
   * Opens the store, however long it takes. If the use has ended meanwhile, closes it at once, and tells of its failure:
   * nobody waits for it any more.
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
   * Closes the store and lets others have it. One that is still being opened is not waited for: what it opens after a
   * close, nobody would close any more, so that {@link open} does it. One that does not close in time goes on closing,
   * and stays kept from others until it has closed. Bounded; never rejects.
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
 * Notes that an ID maker uses a store from now on. A store has one connection, which its user opens and closes, and
 * some remember what their user holds: a second one would be cut off, or given the same.
 *
 * One that has nothing to open may be shared.
 *
 * @throws InvalidOptionError when another ID maker uses it
 */
function takeStore(store: LeaseStore): void {
  if (!store.open) return;
  if (inUse.has(store)) {
    throw new InvalidOptionError(
      'store',
      store.description,
      'is used by another ID maker already',
      'Make a store for each: call the function that makes it once more, e.g. in useFactory of forRootAsync.',
    );
  }
  inUse.add(store);
}

/** Notes that it was closed. */
function leaveStore(store: LeaseStore): void {
  inUse.delete(store);
}
