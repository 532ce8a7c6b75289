import type { Clock } from '../core/clock/clock.js';

/**
 * How much longer than its deadline the caller of a store waits, in milliseconds: a store that gives up at the deadline
 * can still say why, or use what it has at hand.
 */
export const GRACE_MS = 50;

/** Longest default bound on one call of a store, in milliseconds, and the bound of a store that no maker has opened. */
export const DEFAULT_CALL_TIMEOUT_MS = 2000;

/**
 * The deadline of one call, which is passed on with it: each step of the call may use all the time that is left. The
 * caller waits 50 ms longer, so that a store that gives up by itself at the deadline can say why.
 */
export interface CallDeadline {
  /** The length of the whole call in milliseconds, for messages: `callTimeoutMs`, or less at the stop. */
  readonly timeoutMs: number;
  /** Returns the time left in milliseconds; 0 after the deadline. */
  remainingMs(): number;
  /**
   * Tells the caller that the call waits for others before it reads: for a connection, a lock or its turn. While a process starts,
   * such a wait may take as long as the start, so that a call of a crowd does not lose its place; {@link remainingMs} then returns
   * what is left of that. Absent, or without effect, if the caller can't wait any longer.
   */
  queue?(): void;
  /**
   * Tells the caller that the wait is over, and that the call reads next. From here to its reply it may take `callTimeoutMs`. The
   * caller compares the store's clock with its own from here on.
   *
   * @param agoMs how long ago the wait was over at the earliest, if one message waited and read. Default 0
   */
  begin?(agoMs?: number): void;
}

/** The deadline of one call, and when it began to read. */
export interface RunningDeadline extends Required<CallDeadline> {
  /** When the call began, or began to read after a wait. Unix time in milliseconds. */
  readonly beganMs: number;
}

/**
 * Sets the deadline of a call that begins now.
 *
 * @param queueMs how long the call may take while it waits for others; at least `timeoutMs`
 * @param changed called with the time that is left whenever a wait begins or ends
 */
export function deadlineIn(
  clock: Pick<Clock, 'now'>,
  timeoutMs: number,
  queueMs = timeoutMs,
  changed: (leftMs: number) => void = () => undefined,
): RunningDeadline {
  const startedMs = clock.now();
  let beganMs = startedMs;
  let present = { sinceMs: startedMs, lengthMs: timeoutMs };
  // A clock that steps moves the deadline, but no further than the call is long. The caller's own bound is a timer.
  const left = (sinceMs: number, lengthMs: number): number =>
    Math.min(lengthMs, Math.max(0, sinceMs + lengthMs - clock.now()));
  const remainingMs = (): number =>
    Math.min(left(present.sinceMs, present.lengthMs), left(startedMs, queueMs));
  return {
    get timeoutMs() {
      return present.lengthMs;
    },
    get beganMs() {
      return beganMs;
    },
    remainingMs,
    queue() {
      present = { sinceMs: startedMs, lengthMs: queueMs };
      changed(remainingMs());
    },
    begin(agoMs = 0) {
      beganMs = Math.max(startedMs, clock.now() - agoMs);
      present = { sinceMs: beganMs, lengthMs: timeoutMs };
      changed(remainingMs());
    },
  };
}

/** Passes `call` on, or rejects with `expired()` if it takes longer than `ms` milliseconds. Keeps the process alive until then. */
export function settledWithin<Reply>(
  clock: Pick<Clock, 'schedule'>,
  ms: number,
  call: Promise<Reply>,
  expired: () => unknown,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const alarm = clock.schedule(ms, () => reject(expired()));
    alarm.keepProcessAlive?.();
    call.then(resolve, reject).finally(() => alarm.cancel());
  });
}
