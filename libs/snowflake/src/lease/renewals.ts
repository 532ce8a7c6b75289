import { safeReason } from '../core/errors/foreign-error.js';
import type { KeeperEnvironment, KeeperSettings } from './keeper-settings.js';
import type { LeaseListeners } from './lease-listeners.js';
import type { LeaseStore } from './lease-store.js';
import { type RenewalSchedule, TimerSchedule, WatchedSchedule } from './renewal-schedule.js';

const NO_RENEWALS: RenewalSchedule = { start: () => undefined, stop: () => undefined };

/** Renews a lease at intervals, by its own timers or by the schedule of the app. */
export class Renewals {
  /** The configured interval ± 10 %, so that processes do not renew all at once. */
  readonly everyMs: number;
  private schedule: RenewalSchedule;

  constructor(
    private readonly store: LeaseStore,
    private readonly settings: KeeperSettings,
    private readonly environment: KeeperEnvironment,
    private readonly listeners: LeaseListeners,
    private readonly renew: () => void,
  ) {
    this.everyMs = Math.max(1, Math.round(settings.renewEveryMs * (0.9 + 0.2 * environment.random())));
    this.schedule = store.renewable ? new TimerSchedule(environment.clock) : NO_RENEWALS;
  }

  /** Renews by `schedule` from now on; without one, or if it falls silent, by its own timers. */
  use(schedule: RenewalSchedule | undefined, startNow: boolean): void {
    if (!this.store.renewable) return;
    const { clock } = this.environment;
    this.stop();
    this.schedule = schedule
      ? new WatchedSchedule(schedule, this.settings.callTimeoutMs, clock)
      : new TimerSchedule(clock);
    if (startNow) this.start();
  }

  start(): void {
    this.schedule.start(this.everyMs, this.renew);
  }

  /** Never throws: the schedule may belong to the app, and the lease and the store must be given back all the same. */
  stop(): void {
    try {
      this.schedule.stop();
    } catch (error) {
      this.listeners.warn(`The renewal schedule could not be stopped: ${safeReason(error)}`);
    }
  }
}
