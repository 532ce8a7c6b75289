/**
 * A source of time. The library takes it by injection wherever it needs the time, so that tests and simulations can
 * set it. Times are Unix time in milliseconds.
 */
export interface Clock {
  /** Returns the current Unix time in milliseconds. It can step forward or back: uniqueness never depends on it. */
  now(): number;

  /**
   * Blocks the calling thread until {@link now} reaches `targetMs`, for at most `maxBlockMs` milliseconds.
   *
   * @returns whether `targetMs` was reached
   */
  blockUntil(targetMs: number, maxBlockMs: number): boolean;

  /** Calls `task` once after `delayMs` milliseconds. The timer alone doesn't keep the process alive. */
  schedule(delayMs: number, task: () => void): ScheduledTask;

  /**
   * Calls `task` when the running synchronous code has returned, before the event loop's next turn. Optional: with it,
   * the generator can issue a short run of IDs per clock reading; without it, every ID reads the clock.
   */
  afterThisTurn?(task: () => void): void;
}

/** A task scheduled on a {@link Clock}. */
export interface ScheduledTask {
  /** Cancels the task. Does nothing if it has already run. */
  cancel(): void;

  /** Keeps the process alive until the task has run or is cancelled. Optional: simulations don't need it. */
  keepProcessAlive?(): void;
}
