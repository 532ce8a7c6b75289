import { type Clock, type ScheduledTask, systemClock } from 'nestjs-snowflake/core';

const SLOW_TIMES = 30;

/**
 * The system clock, whose wall time a test steps as an operator or a time service does. It goes on from there at the
 * pace of the servers' clocks; timers go by elapsed time and do not notice.
 */
export class SteppedClock implements Clock {
  private offsetMs = 0;
  private standsAtMs: number | undefined;
  private slowness = 1;

  now(): number {
    return this.standsAtMs ?? systemClock.now() + this.offsetMs;
  }

  blockUntil(targetMs: number, maxBlockMs: number): boolean {
    return systemClock.blockUntil(targetMs - this.offsetMs, maxBlockMs);
  }

  schedule(delayMs: number, task: () => void): ScheduledTask {
    return systemClock.schedule(delayMs * this.slowness, task);
  }

  afterThisTurn(task: () => void): void {
    systemClock.afterThisTurn?.(task);
  }

  step(ms: number): void {
    this.offsetMs += ms;
    if (this.standsAtMs !== undefined) this.standsAtMs += ms;
  }

  /** Stands still, whatever the machine does meanwhile, until it {@link goOn}. */
  stand(): void {
    this.standsAtMs = this.now();
  }

  /** Goes on from where it stands. */
  goOn(): void {
    this.offsetMs = this.now() - systemClock.now();
    this.standsAtMs = undefined;
  }

  /** Timers set from now on take longer: a busy machine could miss the bounds of a stop, which no option sets. */
  slowTimers(): void {
    this.slowness = SLOW_TIMES;
  }
}
