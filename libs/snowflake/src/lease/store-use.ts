import { InvalidOptionError } from '../core/index.js';
import type { LeaseStore } from './lease-store.js';

const inUse = new WeakSet<LeaseStore>();

/**
 * Notes that an ID maker uses a store from now on. A store has one connection, which its user opens and closes, and
 * some remember what their user holds: a second one would be cut off, or given the same.
 *
 * One that has nothing to open may be shared.
 *
 * @throws InvalidOptionError when another ID maker uses it, or did and the store cannot renew
 */
export function takeStore(store: LeaseStore): void {
  if (!store.open) return;
  if (inUse.has(store)) {
    throw new InvalidOptionError(
      'store',
      store.description,
      store.renewable
        ? 'is used by another ID maker already'
        : 'has given its only worker ID to another ID maker for ever, even if that one was stopped',
      'Make a store for each: call the function that makes it once more, e.g. in useFactory of forRootAsync.',
    );
  }
  inUse.add(store);
}

/** Notes that it was closed. The grant of a store that cannot renew is for ever, and so is its use. */
export function leaveStore(store: LeaseStore): void {
  if (store.renewable) inUse.delete(store);
}
