import { type AsyncLeaseRegistry, type LeaseRegistry, Unreadable } from './lease-registry.js';

type Method = keyof LeaseRegistry;

/** A method of the registry that the protocol wants called, and its arguments. */
export type Question = {
  readonly [M in Method]: { readonly method: M; readonly args: Parameters<LeaseRegistry[M]> };
}[Method];

/** A piece of the protocol: asks questions, ends with a reply, does no I/O of its own. */
export type Asking<Reply> = Generator<Question, Reply, unknown>;

/** A value of the registry that this library did not write; nothing was changed. */
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

/** Runs a call on a registry that answers at once. */
export function runNow<Reply>(call: Asking<Reply>, registry: LeaseRegistry): Reply | CorruptReply {
  try {
    let step = call.next();
    while (!step.done) step = call.next(answer(registry, step.value));
    return step.value;
  } catch (error) {
    return corruptReply(error);
  }
}

/** Runs a call on a registry that answers later, one question at a time. */
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
