import { type Clock, type ScheduledTask, systemClock } from 'nestjs-snowflake/core';

/** The system clock of a process that can die: from then on none of its timers fires. */
export class MortalClock implements Clock {
  private isDead = false;

  now(): number {
    return systemClock.now();
  }

  blockUntil(targetMs: number, maxBlockMs: number): boolean {
    return systemClock.blockUntil(targetMs, maxBlockMs);
  }

  schedule(delayMs: number, task: () => void): ScheduledTask {
    return systemClock.schedule(delayMs, () => {
      if (!this.isDead) task();
    });
  }

  die(): void {
    this.isDead = true;
  }
}
