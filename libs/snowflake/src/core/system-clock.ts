import type { Clock } from './clock.js';

/** Waits longer than this sleep first; the rest is spent looking at the clock, which wakes with the tick. */
const SLEEP_ABOVE_MS = 2;

let sleepCell: Int32Array | undefined;

function sleep(ms: number): void {
  sleepCell ??= new Int32Array(new SharedArrayBuffer(4));
  Atomics.wait(sleepCell, 0, 0, ms);
}

/** The clock and timers of the operating system: the only place in the library that touches either. */
export const systemClock: Clock = {
  now: () => Date.now(),

  blockUntil(targetMs, maxBlockMs) {
    const deadline = performance.now() + maxBlockMs;
    for (;;) {
      const missingMs = targetMs - Date.now();
      if (missingMs <= 0) return true;
      const leftMs = deadline - performance.now();
      if (leftMs <= 0) return false;
      if (Math.min(missingMs, leftMs) > SLEEP_ABOVE_MS) sleep(Math.min(missingMs, leftMs) - 1);
    }
  },

  schedule(delayMs, task) {
    const timer = setTimeout(task, delayMs) as ReturnType<typeof setTimeout> & { unref?: () => void };
    timer.unref?.();
    return { cancel: () => clearTimeout(timer) };
  },

  afterThisTurn: (task) => queueMicrotask(task),
};
