import type { Clock } from '../core/clock/clock.js';
import type { CallDeadline } from './lease-store.js';

/**
 * How much longer than its deadline the caller of a store waits, in milliseconds: a store that gives up at the deadline
 * can still say why, or use what it has at hand.
 */
export const GRACE_MS = 50;

/** Longest default bound on one call of a store, in milliseconds, and the bound of a store that no maker has opened. */
export const DEFAULT_CALL_TIMEOUT_MS = 2000;

/** Sets the deadline of a call that begins now. */
export function deadlineIn(clock: Pick<Clock, 'now'>, timeoutMs: number): CallDeadline {
  const startedMs = clock.now();
  return {
    timeoutMs,
    // A clock that steps moves the deadline, but no further than the call is long. The caller's own bound is a timer.
    remainingMs: () => Math.min(timeoutMs, Math.max(0, startedMs + timeoutMs - clock.now())),
  };
}

/** Passes `call` on, or rejects with `expired()` if it takes longer than `ms` milliseconds. */
export function settledWithin<Reply>(
  clock: Pick<Clock, 'schedule'>,
  ms: number,
  call: Promise<Reply>,
  expired: () => unknown,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const alarm = clock.schedule(ms, () => reject(expired()));
    call.then(resolve, reject).finally(() => alarm.cancel());
  });
}
