/**
 * A source of time, injected everywhere the library needs one, so that tests and simulations decide what time it is.
 * Times are Unix time in milliseconds.
 */
export interface Clock {
  /** The current Unix time in milliseconds. May step in either direction: nothing in this library trusts it. */
  now(): number;

  /**
   * Blocks the calling thread until {@link now} reaches `targetMs`, for at most `maxBlockMs` of elapsed time.
   *
   * @returns whether `targetMs` was reached
   */
  blockUntil(targetMs: number, maxBlockMs: number): boolean;

  /** Calls `task` once after `delayMs` milliseconds. The timer does not keep the process alive by itself. */
  schedule(delayMs: number, task: () => void): ScheduledTask;

  /**
   * Calls `task` when the running synchronous code has returned, before the event loop turns. Optional: with it the
   * generator may hand out a short run of IDs on one look at the clock; without it every ID looks at the clock.
   */
  afterThisTurn?(task: () => void): void;
}

/** A task that waits on a {@link Clock}. */
export interface ScheduledTask {
  /** Keeps the task from running. Harmless when it has run already. */
  cancel(): void;

  /** Keeps the process alive until the task has run or is cancelled. Optional: simulations have no process. */
  keepProcessAlive?(): void;
}
