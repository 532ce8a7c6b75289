import { EventQueue, type PlannedEvent } from './event-queue.js';
import { Random } from './random.js';

/** When every simulation begins, Unix time in milliseconds. */
export const START_MS = Date.UTC(2026, 0, 1);

/**
 * Virtual time and what happens in it. Nothing here waits for the real clock, and everything that is left to chance
 * follows from the seed: two runs of a seed are the same.
 */
export class World {
  /** True time, which no participant of the simulation can read. Unix time in milliseconds. */
  nowMs = START_MS;
  readonly random: Random;

  private readonly queue = new EventQueue();
  private hasPromises = false;

  /** @param print receives the lines of the trace; absent if nobody reads it */
  constructor(
    readonly seed: number,
    private readonly print?: (line: string) => void,
  ) {
    this.random = new Random(seed).fork('world');
  }

  /** Plans `task` for `delayMs` from now. */
  after(delayMs: number, task: () => void): PlannedEvent {
    return this.queue.plan(this.nowMs + Math.max(0, delayMs), task);
  }

  /** Repeats `task` at random moments, `meanMs` apart on average, until `untilMs`. */
  every(meanMs: number, untilMs: number, random: Random, task: () => void): void {
    this.after(random.exponential(meanMs), () => {
      if (this.nowMs >= untilMs) return;
      task();
      this.every(meanMs, untilMs, random, task);
    });
  }

  /** Says that code ran which may have settled promises: they are followed before the next event. */
  touchPromises(): void {
    this.hasPromises = true;
  }

  /** Lets everything happen that is due until `untilMs`. */
  async runUntil(untilMs: number): Promise<void> {
    await settlePromises();
    for (let event = this.queue.take(untilMs); event; event = this.queue.take(untilMs)) {
      if (!event.task) continue;
      this.nowMs = Math.max(this.nowMs, event.atMs);
      event.task();
      if (!this.hasPromises) continue;
      this.hasPromises = false;
      await settlePromises();
    }
    this.nowMs = Math.max(this.nowMs, untilMs);
  }

  /** Adds a line to the trace. `line` is only called when somebody reads it. */
  trace(who: string, line: () => string): void {
    this.print?.(
      `${((this.nowMs - START_MS) / 1000).toFixed(3).padStart(10)} s  ${who.padEnd(12)} ${line()}`,
    );
  }
}

/** All microtasks, and those that they make, run before the event loop turns: after one turn all is settled. */
function settlePromises(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
