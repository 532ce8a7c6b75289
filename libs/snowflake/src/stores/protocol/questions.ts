import { type AsyncLeaseRegistry, type LeaseRegistry, Unreadable } from './lease-registry.js';

type Method = keyof LeaseRegistry;

/** A registry method that the protocol calls, and its arguments. */
export type Question = {
  readonly [M in Method]: { readonly method: M; readonly args: Parameters<LeaseRegistry[M]> };
}[Method];

/** A part of the protocol. It yields questions, returns a reply, and does no I/O itself. */
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
