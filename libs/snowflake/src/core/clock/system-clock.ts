import type { Clock } from './clock.js';

/** Longer waits sleep first, then poll the clock for the rest, so that they end exactly with the tick. */
const SLEEP_ABOVE_MS = 2;
/** After this many consecutive readings of the same time, the clock counts as stopped. */
const LOOKS_AT_STANDING_CLOCK = 1000;

/** Blocks for `ms` milliseconds, even if fake timers have stopped every clock of the process. @returns `ms` */
function sleep(ms: number): number {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  return ms;
}

/** Returns a time in fractions of a millisecond from which durations can be measured: no step of the clock changes it. */
export function monotonicMs(): number {
  return performance.now();
}

/** The clock and timers of the operating system. The rest of the library accesses them only through a {@link Clock}. */
export const systemClock: Clock = Object.freeze<Clock>({
  now: () => Date.now(),

  blockUntil(targetMs, maxBlockMs) {
    const startedMs = performance.now();
    let sleptMs = 0;
    let seenMs = startedMs;
    let looksInARow = 0;
    for (;;) {
      const missingMs = targetMs - Date.now();
      if (missingMs <= 0) return true;
      const lookMs = performance.now();
      const passedMs = lookMs - startedMs;
      // Fake timers that were set to an invalid date read NaN, of which Math.min and Math.max would make an endless sleep.
      const leftMs = maxBlockMs - (passedMs > sleptMs ? passedMs : sleptMs);
      if (leftMs <= 0) return false;
      looksInARow = Object.is(lookMs, seenMs) ? looksInARow + 1 : 0;
      seenMs = lookMs;
      const waitMs = missingMs < leftMs ? missingMs : leftMs;
      if (waitMs > SLEEP_ABOVE_MS) sleptMs += sleep(waitMs - 1);
      else if (looksInARow >= LOOKS_AT_STANDING_CLOCK) sleptMs += sleep(waitMs);
    }
  },

  schedule(delayMs, task) {
    const timer = setTimeout(task, delayMs) as ReturnType<typeof setTimeout> & {
      ref?: () => void;
      unref?: () => void;
    };
    timer.unref?.();
    return { cancel: () => clearTimeout(timer), keepProcessAlive: () => timer.ref?.() };
  },

  // Fake timers replace queueMicrotask, and drop its pending tasks when they are removed.
  afterThisTurn: (task) => void Promise.resolve().then(task),
});
