import { type AsyncLeaseRegistry, type LeaseRegistry, Unreadable } from './lease-registry.js';

/** One call of the registry. */
type RegistryCall = (registry: LeaseRegistry) => unknown;

/**
 * A part of the protocol: it yields calls of the registry, and returns a reply. The runner makes the calls, so the protocol does no I/O
 * itself, and is the same for all registries. {@link executeNow} makes all calls at once, so on a synchronous registry a transaction is atomic
 * without a lock. {@link execute} awaits each call, within a transaction of a database.
 */
export type RegistryCalls<Reply> = Generator<RegistryCall, Reply, unknown>;

/** Reports a value in the registry that this library can't have written. The transaction has changed nothing. */
export interface CorruptReply {
  readonly outcome: 'corrupt';
  readonly field: string;
  readonly stored: string;
}

/** Calls the registry, and returns what it returns: `yield* call((registry) => registry.row(7))`. */
export function* call<Returned>(
  registryCall: (registry: LeaseRegistry) => Returned,
): RegistryCalls<Returned> {
  // The runner passes on what the call has returned.
  return (yield registryCall) as Returned;
}

/** Executes a transaction on a synchronous registry. */
export function executeNow<Reply>(
  transaction: RegistryCalls<Reply>,
  registry: LeaseRegistry,
): Reply | CorruptReply {
  try {
    let step = transaction.next();
    while (!step.done) step = transaction.next(step.value(registry));
    return step.value;
  } catch (error) {
    return corruptReply(error);
  }
}

/** Executes a transaction on an asynchronous registry, one call at a time. */
export async function execute<Reply>(
  transaction: RegistryCalls<Reply>,
  registry: AsyncLeaseRegistry,
): Promise<Reply | CorruptReply> {
  try {
    let step = transaction.next();
    // A call gets the promise instead of its value, and only returns it.
    while (!step.done) step = transaction.next(await step.value(registry as LeaseRegistry));
    return step.value;
  } catch (error) {
    return corruptReply(error);
  }
}

function corruptReply(error: unknown): CorruptReply {
  if (!(error instanceof Unreadable)) throw error;
  return { outcome: 'corrupt', field: error.field, stored: error.stored };
}
