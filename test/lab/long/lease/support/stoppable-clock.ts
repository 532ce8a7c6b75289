import { type Clock, type ScheduledTask, systemClock } from 'nestjs-snowflake/core';

/** The system clock of a process that can crash: after `stop()` none of its timers fires. */
export class StoppableClock implements Clock {
  private isStopped = false;

  now(): number {
    return systemClock.now();
  }

  blockUntil(targetMs: number, maxBlockMs: number): boolean {
    return systemClock.blockUntil(targetMs, maxBlockMs);
  }

  schedule(delayMs: number, task: () => void): ScheduledTask {
    return systemClock.schedule(delayMs, () => {
      if (!this.isStopped) task();
    });
  }

  stop(): void {
    this.isStopped = true;
  }
}
