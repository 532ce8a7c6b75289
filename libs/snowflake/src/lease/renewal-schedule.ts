import type { Clock, ScheduledTask } from '../core/clock/clock.js';

/** Calls a lease keeper at regular intervals. A framework can pass its own scheduler. */
export interface RenewalSchedule {
  /** Calls `task` every `everyMs` milliseconds until {@link stop}. Replaces an earlier task. */
  start(everyMs: number, task: () => void): void;
  stop(): void;
}

/** A schedule of its own timers, which never keep the process alive. */
export class TimerSchedule implements RenewalSchedule {
  private next: ScheduledTask | undefined;

  constructor(private readonly clock: Clock) {}

  get isOn(): boolean {
    return this.next !== undefined;
  }

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
 * Watches a schedule that its owner may delete silently. While it is silent, timers call instead, because a lease without
 * renewals expires.
 */
export class WatchedSchedule implements RenewalSchedule {
  private readonly standIn: TimerSchedule;

  /**
   * @param latenessMs how late a call may be before timers take over: `callTimeoutMs`, since the timing of a lease allows for
   * a renewal that is that late
   */
  constructor(
    private readonly schedule: RenewalSchedule,
    private readonly latenessMs: number,
    clock: Clock,
  ) {
    this.standIn = new TimerSchedule(clock);
  }

  start(everyMs: number, task: () => void): void {
    const takeOver = (): void => {
      this.standIn.start(everyMs, task);
      task();
    };
    const waitForCall = (): void => this.standIn.start(everyMs + this.latenessMs, takeOver);
    waitForCall();
    this.schedule.start(everyMs, () => {
      // A schedule that fails to stop must not bring the timers back.
      if (!this.standIn.isOn) return;
      waitForCall();
      task();
    });
  }

  stop(): void {
    this.standIn.stop();
    this.schedule.stop();
  }
}
