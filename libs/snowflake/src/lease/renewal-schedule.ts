import type { Clock, ScheduledTask } from '../core/index.js';

/** What calls a lease keeper at regular intervals. A framework can put its own scheduler here. */
export interface RenewalSchedule {
  /** Calls `task` every `everyMs` milliseconds until {@link stop}. Called again, it replaces the earlier one. */
  start(everyMs: number, task: () => void): void;
  stop(): void;
}

/** A schedule of its own timers, which never keep the process alive. */
export class TimerSchedule implements RenewalSchedule {
  private next: ScheduledTask | undefined;

  constructor(private readonly clock: Clock) {}

  start(everyMs: number, task: () => void): void {
    this.stop();
    this.next = this.clock.schedule(everyMs, () => {
      this.start(everyMs, task);
      task();
    });
  }

  stop(): void {
    this.next?.cancel();
    this.next = undefined;
  }
}
