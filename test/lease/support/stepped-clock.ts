import { type Clock, type ScheduledTask, systemClock } from 'nestjs-snowflake/core';

/**
 * The system clock, whose wall time a test steps as an operator or a time service does. It goes on from there at the
 * pace of the servers' clocks; timers go by elapsed time and do not notice.
 */
export class SteppedClock implements Clock {
  private offsetMs = 0;

  now(): number {
    return systemClock.now() + this.offsetMs;
  }

  blockUntil(targetMs: number, maxBlockMs: number): boolean {
    return systemClock.blockUntil(targetMs - this.offsetMs, maxBlockMs);
  }

  schedule(delayMs: number, task: () => void): ScheduledTask {
    return systemClock.schedule(delayMs, task);
  }

  afterThisTurn(task: () => void): void {
    systemClock.afterThisTurn?.(task);
  }

  step(ms: number): void {
    this.offsetMs += ms;
  }
}
