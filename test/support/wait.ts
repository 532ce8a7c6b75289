import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 15;

/**
 * Asks `check` until it gives something other than `undefined` or `false`, and resolves to that. Rejects after
 * `withinMs`, or at once when `check` throws.
 */
export async function waitFor<T>(
  what: string | (() => string),
  withinMs: number,
  check: () => T | undefined | false | Promise<T | undefined | false>,
): Promise<T> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const found = await check();
    if (found !== undefined && found !== false) return found;
    if (performance.now() >= deadline) throw waitedInVain(what, withinMs);
    await delay(POLL_MS);
  }
}

/** Repeats `call` until it succeeds. Rejects with its last error if it hasn't after `withinMs`. */
export async function untilSuccess<T>(withinMs: number, call: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (performance.now() >= deadline) throw error;
      await delay(POLL_MS);
    }
  }
}

/** Passes `promise` on, or rejects when it has not settled after `withinMs`. */
export async function within<T>(what: string, withinMs: number, promise: Promise<T>): Promise<T> {
  const alarm = new AbortController();
  const late = delay(withinMs, undefined, { signal: alarm.signal }).then(() => {
    throw waitedInVain(what, withinMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    late.catch(() => undefined);
    alarm.abort();
  }
}

function waitedInVain(what: string | (() => string), withinMs: number): Error {
  return new Error(`Waited ${withinMs} ms in vain for ${typeof what === 'string' ? what : what()}`);
}
