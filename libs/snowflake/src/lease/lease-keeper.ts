import { safeReason } from '../core/errors/foreign-error.js';
import {
  type IdGenerator,
  type ScheduledTask,
  type SnowflakeError,
  type SnowflakeErrorCode,
  NotReadyError,
  StoppedError,
} from '../core/index.js';
import { deadlineIn, GRACE_MS, settledWithin } from './call-deadline.js';
import { FirstLease } from './first-lease.js';
import type { KeeperEnvironment, KeeperSettings } from './keeper-settings.js';
import { KeeperJournal } from './keeper-journal.js';
import { LeaseHolding } from './lease-holding.js';
import type { LeaseListener, LeaseState } from './lease-event.js';
import type { LeaseStore, RegistrySnapshot } from './lease-store.js';
import type { RenewalSchedule } from './renewal-schedule.js';
import { TimerSchedule, WatchedSchedule } from './renewal-schedule.js';
import { asSnowflakeError, retryDelayMs, unanswered } from './store-caller.js';
import { CLOSE_TIMEOUT_MS, StoreUse } from './store-use.js';
import { WakeableSleep } from './wakeable-sleep.js';

/** Bound on each of the two waits of a stop before the store is closed. */
const STOP_TIMEOUT_MS = 500;
/** Twice as long as a stop can take. */
const ALIVE_FOR_MS = 2 * (2 * STOP_TIMEOUT_MS + CLOSE_TIMEOUT_MS);

/**
 * Keeps a generator supplied with the right to issue: acquires, renews, switches and releases the lease.
 *
 * One call of the store is in flight at a time. Whatever goes wrong with it, the generator's limit holds: this class only
 * moves it forward, and only to what the store has granted.
 */
export class LeaseKeeper {
  /** Interval of renewals in milliseconds: the configured one ± 10 %, so that processes do not renew all at once. */
  readonly renewEveryMs: number;

  private readonly journal: KeeperJournal;
  private readonly storeUse: StoreUse;
  private readonly holding: LeaseHolding;
  private readonly firstLease: FirstLease;
  private readonly ownSchedule: RenewalSchedule;
  private schedule: RenewalSchedule;
  private acquiring: Promise<void> | undefined;
  private started: Promise<void> | undefined;
  private stopping: Promise<void> | undefined;
  private renewal: Promise<void> | undefined;
  private retry: ScheduledTask | undefined;
  private inspection: Promise<RegistrySnapshot> | undefined;
  private rollbackSeen = false;

  constructor(
    private readonly store: LeaseStore,
    private readonly generator: IdGenerator,
    private readonly settings: KeeperSettings,
    private readonly environment: KeeperEnvironment,
  ) {
    const { clock } = environment;
    this.renewEveryMs = Math.max(1, Math.round(settings.renewEveryMs * (0.9 + 0.2 * environment.random())));
    this.journal = new KeeperJournal(generator, clock);
    this.storeUse = new StoreUse(store, this.journal.listeners, clock);
    this.holding = new LeaseHolding(store, generator, settings, environment, this.journal);
    this.firstLease = new FirstLease(store, this.storeUse, this.holding, settings, environment, this.journal);
    this.ownSchedule = new TimerSchedule(clock);
    this.schedule = this.ownSchedule;
    generator.subscribeToRollbacks((backwardsMs) => this.noticeRollback(backwardsMs));
  }

  /** The present state. */
  get state(): LeaseState {
    return this.journal.observe();
  }

  /** End of the window held, Unix time in milliseconds; undefined before the first lease. */
  get leaseUntilMs(): number | undefined {
    return this.holding.lease?.untilMs;
  }

  /** The error of the last call that failed, until a later one succeeds. */
  get lastError(): SnowflakeError | undefined {
    return this.journal.lastError;
  }

  /** How many calls have failed, by the code of their error. */
  get failedCalls(): ReadonlyMap<SnowflakeErrorCode, number> {
    return this.journal.failedCalls;
  }

  /** Calls `listener` on each event. @returns a function that ends it */
  subscribe(listener: LeaseListener): () => void {
    return this.journal.listeners.subscribe(listener);
  }

  /**
   * Opens the store, acquires the first lease and begins to renew it. Further calls return the same promise. If it rejects,
   * everything is closed.
   *
   * @throws StoppedError after {@link stop}
   * @throws AcquireTimeoutError if there is no lease within `acquireTimeoutMs`, or the store does not open
   * @throws WorkerIdsExhaustedError if all worker IDs are held for all of that time
   * @throws LayoutMismatchError, StoreRejectedError, StoreCorruptError, ClockSkewError, InvalidOptionError at once
   */
  start(): Promise<void> {
    if (this.stopping) return Promise.reject(new StoppedError());
    // Later, because a listener that hears of the start may call start() too, and there must be one start only.
    this.acquiring ??= Promise.resolve().then(() => this.acquireFirst());
    this.started ??= this.acquiring.catch(async (error: unknown) => {
      await this.stop();
      throw error;
    });
    return this.started;
  }

  /**
   * Renews the lease now. Never rejects: it retries failures and reports them as events. If they last, the generator refuses
   * to issue.
   */
  renew(): Promise<void> {
    if (!this.holding.lease || this.stopping) return Promise.resolve();
    this.renewal ??= this.renewOnce().finally(() => {
      this.renewal = undefined;
      if (this.rollbackSeen && !this.retry) void this.renew();
    });
    return this.renewal;
  }

  /**
   * Reads the registry. Calls that overlap share one call of the store, which settles within `callTimeoutMs`. A failure is no
   * failure of the lease, and is not counted. On a SQL database a reading that takes too long costs the connection, which the
   * next call opens again.
   *
   * @throws StoppedError after {@link stop}, NotReadyError before the store is open, and what the store throws
   */
  async inspect(): Promise<RegistrySnapshot> {
    this.refuseStopped();
    if (!this.firstLease.isOpen) throw new NotReadyError();
    this.inspection ??= this.readRegistry().finally(() => (this.inspection = undefined));
    return this.inspection;
  }

  /** Renews by `schedule` from now on. Without one, or if it falls silent, renews by its own timers. */
  setRenewalSchedule(schedule?: RenewalSchedule): void {
    if (!this.store.renewable || this.stopping) return;
    this.stopSchedule();
    this.schedule = schedule
      ? new WatchedSchedule(schedule, this.settings.callTimeoutMs, this.environment.clock)
      : this.ownSchedule;
    if (this.holding.lease) this.startSchedule();
  }

  /** Resolves when an ID can be issued. @throws the reason why not, after `timeoutMs` */
  async untilIssuing(timeoutMs: number): Promise<void> {
    if (this.generator.canIssue) return;
    this.refuseStopped();
    if (!this.holding.lease) return this.start();
    await this.journal.untilIssuing(timeoutMs);
  }

  /**
   * Gives the lease back and closes the store. A store that is still opening is closed, and free for others, once it is open.
   * Takes at most 1.5 seconds; never rejects.
   */
  stop(): Promise<void> {
    this.stopping ??= Promise.resolve().then(() => this.aliveWhile(() => this.shutDown()));
    return this.stopping;
  }

  private async acquireFirst(): Promise<void> {
    this.refuseStopped();
    this.storeUse.take();
    this.journal.enter('acquiring');
    await this.firstLease.acquire();
    this.refuseStopped();
    if (this.store.renewable) this.startSchedule();
    // Its window may end before the first regular renewal.
    if (this.holding.isShort) void this.renew();
  }

  private refuseStopped(): void {
    if (this.stopping) throw new StoppedError();
  }

  private async readRegistry(): Promise<RegistrySnapshot> {
    const { clock } = this.environment;
    const { callTimeoutMs } = this.settings;
    const deadline = deadlineIn(clock, callTimeoutMs);
    const late = (): Error => unanswered(this.store, deadline);
    try {
      return await settledWithin(clock, callTimeoutMs + GRACE_MS, this.store.inspect(), late);
    } catch (error) {
      throw asSnowflakeError(error, this.store.description);
    }
  }

  private async renewOnce(): Promise<void> {
    this.retry?.cancel();
    this.retry = undefined;
    let switching = this.rollbackSeen;
    this.rollbackSeen = false;
    try {
      switching ||= this.holding.isFarAhead;
      const refusal = switching ? await this.holding.switchOrRenew() : await this.holding.renew();
      if (refusal) throw refusal.error;
      this.journal.succeeded();
      if (!switching && this.holding.isFarAhead) this.rollbackSeen = true;
    } catch (thrown) {
      const error = asSnowflakeError(thrown, this.store.description);
      this.journal.failed(error);
      this.rollbackSeen ||= switching;
      if (!this.stopping) {
        this.retry = this.environment.clock.schedule(
          retryDelayMs(error, this.environment),
          () => void this.renew(),
        );
      }
    }
  }

  private noticeRollback(backwardsMs: number): void {
    const switches = this.settings.onClockRollback === 'switch' && this.store.renewable;
    this.rollbackSeen ||= switches;
    // Later, because this runs inside nextId(), which does no I/O, and a listener may call nextId().
    void Promise.resolve().then(() => {
      this.journal.listeners.emit({ type: 'clock-rollback', backwardsMs });
      if (switches) void this.renew();
    });
  }

  private startSchedule(): void {
    this.schedule.start(this.renewEveryMs, () => void this.renew());
  }

  /** The schedule may belong to the app: if it throws, the lease and the store must be given back all the same. */
  private stopSchedule(): void {
    try {
      this.schedule.stop();
    } catch (error) {
      this.journal.listeners.warn(`The renewal schedule could not be stopped: ${safeReason(error)}`);
    }
  }

  /** The timers of a stop don't keep the process alive, so with a store that hangs it would end in the middle. */
  private async aliveWhile(work: () => Promise<void>): Promise<void> {
    const guard = this.environment.clock.schedule(ALIVE_FOR_MS, () => undefined);
    guard.keepProcessAlive?.();
    await work().finally(() => guard.cancel());
  }

  private async shutDown(): Promise<void> {
    this.stopSchedule();
    this.retry?.cancel();
    this.firstLease.abandon();
    const patience = new WakeableSleep(this.environment.clock);
    await Promise.race([this.renewal ?? this.firstLease.settled(), patience.for(STOP_TIMEOUT_MS)]);
    patience.wake();
    const released = this.holding.release(STOP_TIMEOUT_MS - GRACE_MS);
    // Now, because a stopped generator would look as if its window were used up.
    this.journal.enter('stopped');
    await released;
    await this.storeUse.end();
  }
}
