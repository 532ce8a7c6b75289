import { safeReason } from '../core/errors/foreign-error.js';
import type { Clock } from '../core/clock/clock.js';
import { InvalidOptionError } from '../core/errors/input-errors.js';
import { memoryOf } from '../core/process-memory.js';
import { settledWithin } from '../kit/call-deadline.js';
import type { LeaseStore, StoreSettings } from './lease-store.js';

/** Longer than a store of this library takes to leave a server that hangs. */
export const CLOSE_TIMEOUT_MS = 500;

/** The part of a store that its user opens and closes. */
export interface OwnedStore extends Pick<LeaseStore, 'description' | 'close'> {
  readonly isShareable?: boolean;
  open?(settings: StoreSettings): void | Promise<void>;
}

/** Whether an ID maker uses the store. */
const occupancyOf = (store: object): { isOccupied: boolean } =>
  memoryOf(store, 'occupancy of stores', () => ({ isOccupied: false }));

/**
 * Notes that an ID maker uses a store from now on. A store has one connection, which its user opens and closes, and some
 * stores remember what their user holds. ID makers can share a store that has nothing to open, or says so.
 *
 * @throws InvalidOptionError if another ID maker uses it
 */
export function occupyStore(store: OwnedStore): void {
  if (!store.open || store.isShareable) return;
  const occupancy = occupancyOf(store);
  if (occupancy.isOccupied) {
    throw new InvalidOptionError(
      'store',
      store.description,
      'is in use by another ID maker',
      'Create a separate store for each ID maker, e.g. in useFactory of forRootAsync.',
    );
  }
  occupancy.isOccupied = true;
}

/**
 * Closes a store that was occupied, and lets others use it. If it does not close in time, it keeps closing, and others can't
 * use it until it has closed. Bounded; never rejects.
 */
export async function closeStore(
  store: OwnedStore,
  clock: Clock,
  warn: (problem: string) => void,
): Promise<void> {
  const closing = closed(store, warn).then(() => {
    occupancyOf(store).isOccupied = false;
  });
  await settledWithin(clock, CLOSE_TIMEOUT_MS, closing, () => undefined).catch(() =>
    warn(`did not close within ${CLOSE_TIMEOUT_MS} ms. It cannot be used again until it has closed.`),
  );
}

async function closed(store: OwnedStore, warn: (problem: string) => void): Promise<void> {
  try {
    await store.close();
  } catch (error) {
    warn(`could not be closed: ${safeReason(error)}`);
  }
}
