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

/** How long a schedule may be silent, in intervals, before it is taken for gone. */
const PATIENCE_INTERVALS = 1.5;

/**
 * A schedule of somebody else, who may take it away without a word. As long as it is silent, timers call in its place,
 * since a lease that nobody renews looks like a store that is away for ever.
 */
export class WatchedSchedule implements RenewalSchedule {
  private readonly standIn: TimerSchedule;

  constructor(
    private readonly schedule: RenewalSchedule,
    clock: Clock,
  ) {
    this.standIn = new TimerSchedule(clock);
  }

  start(everyMs: number, task: () => void): void {
    const takeOver = (): void => {
      this.standIn.start(everyMs, task);
      task();
    };
    const waitForCall = (): void => this.standIn.start(Math.ceil(everyMs * PATIENCE_INTERVALS), takeOver);
    waitForCall();
    this.schedule.start(everyMs, () => {
      waitForCall();
      task();
    });
  }

  stop(): void {
    this.standIn.stop();
    this.schedule.stop();
  }
}
