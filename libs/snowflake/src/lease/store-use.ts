import { safeReason } from '../core/errors/foreign-error.js';
import { InvalidOptionError } from '../core/index.js';
import type { KeeperJournal } from './keeper-journal.js';
import type { LeaseStore, StoreSettings } from './lease-store.js';
import { asSnowflakeError } from './store-caller.js';

const inUse = new WeakSet<LeaseStore>();

/** A store in the hands of one ID maker, from the moment it takes it until it has closed it. */
export class StoreUse {
  private isTaken = false;
  private isOpening = false;
  private isOver = false;

  constructor(
    private readonly store: LeaseStore,
    private readonly journal: KeeperJournal,
  ) {}

  /** Keeps the store from other ID makers. @throws InvalidOptionError when another one uses it */
  take(): void {
    takeStore(this.store);
    this.isTaken = true;
  }

  /** Opens the store, and closes it at once if the use has ended meanwhile. @throws SnowflakeError */
  async open(settings: StoreSettings): Promise<void> {
    this.isOpening = true;
    try {
      await this.store.open?.(settings);
    } catch (error) {
      throw asSnowflakeError(error, this.store.description);
    } finally {
      this.isOpening = false;
      if (this.isOver) await this.end();
    }
  }

  /**
   * Closes the store and lets others have it. One that is still being opened is not waited for: what it opens after a
   * close, nobody would close any more, so that {@link open} does it. Never rejects.
   */
  async end(): Promise<void> {
    this.isOver = true;
    if (!this.isTaken || this.isOpening) return;
    this.isTaken = false;
    try {
      await this.store.close();
    } catch (error) {
      this.journal.warn(`${this.store.description} could not be closed: ${safeReason(error)}`);
    }
    leaveStore(this.store);
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
