import type { Clock } from './clock.js';

/** Waits longer than this sleep first; the rest is spent looking at the clock, which wakes with the tick. */
const SLEEP_ABOVE_MS = 2;
/** So many looks in a row at the same time show a clock that stands still. */
const LOOKS_AT_STANDING_CLOCK = 1000;

/** @returns `ms`, which have passed even where fake timers stop every clock of the process */
function sleep(ms: number): number {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  return ms;
}

/** The clock and timers of the operating system: the only place in the library that touches either. */
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
      const leftMs = maxBlockMs - Math.max(lookMs - startedMs, sleptMs);
      if (leftMs <= 0) return false;
      looksInARow = lookMs === seenMs ? looksInARow + 1 : 0;
      seenMs = lookMs;
      const waitMs = Math.min(missingMs, leftMs);
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

  // No queueMicrotask: fake timers take its place, and drop what they hold when they are taken away.
  afterThisTurn: (task) => void Promise.resolve().then(task),
});
