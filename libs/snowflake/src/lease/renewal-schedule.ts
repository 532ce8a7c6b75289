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

/**
 * A schedule of somebody else, who may take it away without a word. As long as it is silent, timers call in its place,
 * since a lease that nobody renews looks like a store that is away for ever.
 */
export class WatchedSchedule implements RenewalSchedule {
  private readonly standIn: TimerSchedule;
  private isOn = false;

  /**
   * @param patienceMs how much later than due a call may come before the schedule is taken for gone. `callTimeoutMs`:
   * the timing of a lease has room for a renewal that is so much late, and for no later one.
   */
  constructor(
    private readonly schedule: RenewalSchedule,
    private readonly patienceMs: number,
    clock: Clock,
  ) {
    this.standIn = new TimerSchedule(clock);
  }

  start(everyMs: number, task: () => void): void {
    const takeOver = (): void => {
      this.standIn.start(everyMs, task);
      task();
    };
    const waitForCall = (): void => this.standIn.start(everyMs + this.patienceMs, takeOver);
    this.isOn = true;
    waitForCall();
    this.schedule.start(everyMs, () => {
      // It may fail to stop, and must not bring the timers back.
      if (!this.isOn) return;
      waitForCall();
      task();
    });
  }

  stop(): void {
    this.isOn = false;
    this.standIn.stop();
    this.schedule.stop();
  }
}
