import { type AsyncLeaseRegistry, type LeaseRegistry, Unreadable } from './lease-registry.js';

type Method = keyof LeaseRegistry;

/** A registry method that the protocol calls, and its arguments. */
export type Question = {
  readonly [M in Method]: { readonly method: M; readonly args: Parameters<LeaseRegistry[M]> };
}[Method];

/**
 * A part of the protocol. It yields questions, returns a reply, and does no I/O itself.
 *
 * A generator of questions rather than an async function, so that synchronous registries can run the same protocol. On them,
 * {@link runNow} answers all questions at once, and a call is atomic because nothing else runs between two of its questions: the
 * store in memory needs no lock, and the model that real servers are compared with has no schedule of its own. On a database,
 * {@link run} awaits each answer within a transaction. Segments need none of that: their store in memory queues its transactions and
 * undoes one that fails, as a database does, so their protocol consists of plain async functions.
 */
export type Asking<Reply> = Generator<Question, Reply, unknown>;

/** Reports a value in the registry that this library can't have written. The call has changed nothing. */
export interface CorruptReply {
  readonly outcome: 'corrupt';
  readonly field: string;
  readonly stored: string;
}

/** Asks the registry and returns its answer. */
export function* ask<M extends Method>(
  method: M,
  ...args: Parameters<LeaseRegistry[M]>
): Asking<ReturnType<LeaseRegistry[M]>> {
  return (yield { method, args } as Question) as ReturnType<LeaseRegistry[M]>;
}

/** Runs a call on a synchronous registry. */
export function runNow<Reply>(call: Asking<Reply>, registry: LeaseRegistry): Reply | CorruptReply {
  try {
    let step = call.next();
    while (!step.done) step = call.next(answer(registry, step.value));
    return step.value;
  } catch (error) {
    return corruptReply(error);
  }
}

/** Runs a call on an asynchronous registry, one question at a time. */
export async function run<Reply>(
  call: Asking<Reply>,
  registry: AsyncLeaseRegistry,
): Promise<Reply | CorruptReply> {
  try {
    let step = call.next();
    while (!step.done) step = call.next(await answer(registry, step.value));
    return step.value;
  } catch (error) {
    return corruptReply(error);
  }
}

function answer(registry: AsyncLeaseRegistry, { method, args }: Question): unknown {
  return Reflect.apply(registry[method], registry, args);
}

function corruptReply(error: unknown): CorruptReply {
  if (!(error instanceof Unreadable)) throw error;
  return { outcome: 'corrupt', field: error.field, stored: error.stored };
}
