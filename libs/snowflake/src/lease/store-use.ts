import { InvalidOptionError } from '../core/index.js';
import type { LeaseStore } from './lease-store.js';

const inUse = new WeakSet<LeaseStore>();

/**
 * Notes that an ID maker uses a store from now on. A store has one connection, which its user opens and closes, and
 * some remember what their user holds: a second one would be cut off, or given the same.
 *
 * One that has nothing to open may be shared.
 *
 * @throws InvalidOptionError when another ID maker uses it
 */
export function takeStore(store: LeaseStore): void {
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
export function leaveStore(store: LeaseStore): void {
  inUse.delete(store);
}
