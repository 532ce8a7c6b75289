import type { Clock, ScheduledTask } from '../../core/clock/clock.js';

interface Timer {
  readonly dueMs: number;
  readonly order: number;
  readonly task: () => void;
}

/**
 * A clock that moves only when a test moves it. Its wall time can step in either direction. Timers follow elapsed time,
 * like those of an operating system, and ignore steps.
 */
export class VirtualClock implements Clock {
  private wallMs: number;
  private elapsedMs = 0;
  private timers: Timer[] = [];
  private order = 0;

  constructor(start: Date | string | number = '2026-01-01T00:00:00Z') {
    this.wallMs = new Date(start).getTime();
  }

  now(): number {
    return this.wallMs;
  }

  blockUntil(targetMs: number, maxBlockMs: number): boolean {
    const ms = Math.min(targetMs - this.wallMs, maxBlockMs);
    if (ms > 0) {
      this.wallMs += ms;
      this.elapsedMs += ms;
    }
    return this.wallMs >= targetMs;
  }

  schedule(delayMs: number, task: () => void): ScheduledTask {
    const timer: Timer = { dueMs: this.elapsedMs + Math.max(0, delayMs), order: this.order++, task };
    this.timers.push(timer);
    return { cancel: () => void (this.timers = this.timers.filter((other) => other !== timer)) };
  }

  /** Steps the wall time, forward or back, as an operator or a time service does. No time elapses. */
  step(ms: number): void {
    this.wallMs += ms;
  }

  /** Lets time elapse without running timers, as in a process that is paused or whose event loop is blocked. */
  freeze(ms: number): void {
    this.wallMs += ms;
    this.elapsedMs += ms;
  }

  /** Lets time elapse and runs the timers that fall due, each followed by the promises that it settles. */
  async advance(ms: number): Promise<void> {
    const endMs = this.elapsedMs + ms;
    await settlePromises();
    for (let timer = this.nextUntil(endMs); timer; timer = this.nextUntil(endMs)) {
      this.timers = this.timers.filter((other) => other !== timer);
      this.freeze(Math.max(0, timer.dueMs - this.elapsedMs));
      timer.task();
      await settlePromises();
    }
    this.freeze(Math.max(0, endMs - this.elapsedMs));
  }

  private nextUntil(endMs: number): Timer | undefined {
    return this.timers
      .filter(({ dueMs }) => dueMs <= endMs)
      .sort((a, b) => a.dueMs - b.dueMs || a.order - b.order)[0];
  }
}

/** Settles everything that waits only for promises, however long the chain is. */
function settlePromises(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
