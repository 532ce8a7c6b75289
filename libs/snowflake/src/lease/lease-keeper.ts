import { safeReason } from '../core/errors/foreign-error.js';
import type { IdGenerator } from '../core/generator/generator.js';
import { LeaseExhaustedError, NotReadyError, StoppedError } from '../core/errors/issuing-errors.js';
import type { SnowflakeError, SnowflakeErrorCode } from '../core/errors/snowflake-error.js';
import { GRACE_MS, settledWithin } from '../kit/call-deadline.js';
import { deferred } from '../kit/deferred.js';
import { GeneratorControl, readingOf } from './generator-control.js';
import { IssuingWait } from './issuing-wait.js';
import type { KeeperEnvironment, KeeperSettings } from './lease-options.js';
import { LeaseClient } from './lease-client.js';
import { type LeaseListener, type LeaseState, LeaseListeners } from './lease-events.js';
import { transition } from './lease-machine.js';
import { LeaseSchedule, type ScheduleMechanisms } from './lease-schedule.js';
import {
  type Effect,
  INITIAL,
  isStopped,
  type MachineEvent,
  type MachineRules,
  type MachineState,
  stateOf,
  type StoreUse,
} from './machine-state.js';
import type { LeaseStore, RegistrySnapshot } from './lease-store.js';
import { asSnowflakeError, CLOSE_TIMEOUT_MS, closeStore, occupyStore } from './store-caller.js';
import { FixedWorkerIdUse, LEASED_USE } from './worker-id-use.js';

/** How long a stop waits for the call in flight, and for the release if the store doesn't answer. */
const STOP_TIMEOUT_MS = 500;
/**
 * How long the release may take on a store that has answered the latest call. If a whole deployment stops at once, the releases wait for
 * each other, and a worker ID whose release is given up stays taken for a window.
 */
const RELEASE_TIMEOUT_MS = 5000;
/** Twice as long as a stop can take. */
const ALIVE_FOR_MS = 2 * (STOP_TIMEOUT_MS + RELEASE_TIMEOUT_MS + CLOSE_TIMEOUT_MS);

/**
 * Keeps a generator supplied with the right to issue. The lease machine decides; this class owns its state, reports to it what
 * happens, and does what it wants: calls of the store, timers, listeners. {@link LeaseSchedule} decides when.
 */
export class LeaseKeeper {
  private readonly rules: MachineRules;
  private readonly listeners = new LeaseListeners();
  private readonly control: GeneratorControl;
  private readonly client: LeaseClient;
  private readonly schedule: LeaseSchedule;
  private readonly waits: IssuingWait;
  private readonly started = deferred();
  private readonly stopped = deferred();

  private machine: MachineState = INITIAL;
  /** The call in flight, and those that follow from it. */
  private inFlight: Promise<void> = Promise.resolve();
  /** Whether the call in flight at the stop had no answer in time. */
  private hangsAtStop = false;

  constructor(
    private readonly store: LeaseStore,
    private readonly generator: IdGenerator,
    private readonly settings: KeeperSettings,
    private readonly environment: KeeperEnvironment,
    mechanisms?: ScheduleMechanisms,
  ) {
    const { clock } = environment;
    const { renewable, description } = store;
    this.rules = {
      ...settings,
      switchesWorkerId: settings.onClockRollback === 'switch' && renewable,
      description,
    };
    const use = renewable
      ? LEASED_USE
      : new FixedWorkerIdUse(clock, generator.layout.fingerprint, settings, (text) =>
          this.listeners.warn(text),
        );
    this.control = new GeneratorControl(generator, settings, use);
    this.client = new LeaseClient(store, this.control, settings, environment, this.listeners);
    this.waits = new IssuingWait(generator, clock);
    this.schedule = new LeaseSchedule(settings, environment, renewable, () => this.callStore(), mechanisms);
    generator.subscribeToRollbacks((backwardsMs) => {
      // This waits, because it runs inside nextId(), which does no I/O, and a listener may call nextId().
      void Promise.resolve().then(() => this.dispatch({ type: 'clock-rollback', backwardsMs }));
    });
  }

  /** How often a caller of {@link renew} is to come, in milliseconds. Undefined with a fixed worker ID. */
  get renewEveryMs(): number | undefined {
    return this.schedule.renewEveryMs;
  }

  /**
   * Returns the present state. Time and the IDs that were made can have changed it since the last event: listeners learn of that
   * after the next call of the store.
   */
  currentState(): LeaseState {
    return stateOf(this.outcomeOf({ type: 'reading' }).state.phase);
  }

  /** End of the window held, Unix time in milliseconds; undefined before the first lease. */
  get leaseUntilMs(): number | undefined {
    return this.machine.lease?.untilMs;
  }

  /** The error of the last call that failed, until a later one succeeds. */
  get lastError(): SnowflakeError | undefined {
    return this.machine.outage?.lastError;
  }

  /** How many calls have failed, by the code of their error. */
  get failedCalls(): ReadonlyMap<SnowflakeErrorCode, number> {
    return this.machine.failedCalls;
  }

  /** Calls `listener` on each event. @returns a function that ends it */
  subscribe(listener: LeaseListener): () => void {
    return this.listeners.subscribe(listener);
  }

  /**
   * Opens the store, acquires the first lease and begins to renew it. Further calls return the same promise. If it rejects,
   * everything is closed. With `waitAtBoot: false` it can resolve before the lease is held.
   *
   * @throws StoppedError after {@link stop}
   * @throws AcquireTimeoutError if there is no lease within `acquireTimeoutMs`, or the store does not open
   * @throws WorkerIdsExhaustedError if all worker IDs are held for all of that time
   * @throws LayoutMismatchError, StoreRejectedError, StoreCorruptError, ClockSkewError, InvalidOptionError at once
   */
  start(): Promise<void> {
    if (isStopped(this.machine.phase)) return Promise.reject(new StoppedError());
    if (this.machine.phase === 'idle') void this.dispatch(this.startEvent());
    return this.started.promise;
  }

  /**
   * Renews the lease now, and resolves when the store has answered. Does nothing while no lease is held that needs it. Never
   * rejects: it retries failures and reports them as events. If they last, the generator refuses to issue.
   */
  async renew(): Promise<void> {
    if (!this.schedule.renews) return;
    this.schedule.leaveToCaller();
    this.callStore();
    await this.inFlight;
  }

  /**
   * Reads the registry. Calls that overlap share one call of the store, which settles within `callTimeoutMs`. A failure is no
   * failure of the lease, and is not counted. On a SQL database a reading that takes too long costs the connection, which the
   * next call opens again.
   *
   * @throws StoppedError after {@link stop}, NotReadyError before the store is open, and what the store throws
   */
  async inspect(): Promise<RegistrySnapshot> {
    this.requireOpen();
    return this.client.inspect();
  }

  /** @throws StoppedError after {@link stop}, NotReadyError before the store is open */
  requireOpen(): void {
    if (isStopped(this.machine.phase)) throw new StoppedError();
    const { phase } = this.machine;
    if (phase === 'idle' || phase === 'opening') throw new NotReadyError();
  }

  /** Resolves when an ID can be issued. @throws the reason why not, after `timeoutMs` */
  async untilIssuing(timeoutMs: number): Promise<void> {
    if (this.generator.canIssue) return;
    if (isStopped(this.machine.phase)) throw new StoppedError();
    if (!this.machine.lease) {
      await this.start();
      if (this.machine.lease) return;
    }
    await this.waits.untilIssuing(timeoutMs, () => this.whyNotIssuing());
  }

  /**
   * Stops issuing, releases the lease and closes the store. A store that is still opening is closed, and free for others,
   * once it is open. Takes at most 6 seconds, or 1.5 seconds if the store has not answered the latest call; never rejects.
   */
  stop(): Promise<void> {
    void this.dispatch({ type: 'stop' });
    return this.stopped.promise;
  }

  /** Renews or tries again, unless a call is in flight. The timers of the schedule call this, and {@link renew} does. */
  private callStore(): void {
    void this.dispatch({ type: 'due' });
  }

  /** Resolves when the calls are over that follow from the event. Never rejects. */
  private async dispatch(event: MachineEvent): Promise<void> {
    const { state, effects } = this.outcomeOf(event);
    this.machine = state;
    await Promise.all(effects.map((effect) => this.carryOut(effect)));
  }

  /** Returns what follows from an event, and changes nothing. */
  private outcomeOf(event: MachineEvent): ReturnType<typeof transition> {
    const clockMs = readingOf(() => this.environment.clock.now());
    return transition(this.machine, event, { clockMs, ...this.control.readings() }, this.rules);
  }

  private carryOut(effect: Effect): Promise<void> | void {
    switch (effect.do) {
      case 'open-store':
        return this.openStore();
      case 'request-lease':
        return (this.inFlight = this.requestLease(effect));
      case 'release':
        return (this.inFlight = this.release(effect));
      case 'adopt':
        return this.control.adopt(effect.lease);
      case 'extend':
        return this.control.extend(effect.untilMs);
      case 'pause-issuing':
        return this.control.pause();
      case 'end-issuing':
        return this.control.close(this.machine.lease);
      case 'retry':
        return this.schedule.retry(effect.error, this.machine);
      case 'wait':
        return this.schedule.wait(effect.waitMs);
      case 'end-start':
        return this.endStart();
      case 'begin-renewals':
        return this.beginRenewals();
      case 'shut-down':
        // Nobody awaits this, because it waits for the call in flight, which can be the one that made it necessary.
        return void this.shutDown(effect.store, effect.error);
      case 'close-store':
        return this.closeStore();
      case 'emit':
        return this.listeners.emit(effect.event);
    }
  }

  private startEvent(): MachineEvent {
    try {
      occupyStore(this.store);
      this.warnOfIgnoredLoss();
      return { type: 'start' };
    } catch (error) {
      return { type: 'store-in-use', error: this.typed(error) };
    }
  }

  private warnOfIgnoredLoss(): void {
    const { store, settings, environment } = this;
    if (!store.renewable || settings.possibleLoss !== 'ignore' || environment.nodeEnv() !== 'production')
      return;
    this.warn(
      "is used with lease.possibleLoss: 'ignore' while NODE_ENV is production. If the store loses leases, IDs repeat. Remove the option: " +
        'the default waits in production and not in development.',
    );
  }

  private async openStore(): Promise<void> {
    const { callTimeoutMs } = this.settings;
    let warning: string | undefined;
    const warn = (message: string): void => {
      warning = message;
      this.listeners.warn(message);
    };
    this.schedule.beginStart(() => void this.dispatch({ type: 'acquire-timeout', warning }));
    try {
      await this.store.open?.({ callTimeoutMs, warn });
    } catch (error) {
      if (isStopped(this.machine.phase)) {
        this.warn(`failed to open after the ID maker had stopped: ${safeReason(error)}`);
      }
      return this.dispatch({ type: 'open-failed', error: this.typed(error) });
    }
    return this.dispatch({ type: 'opened' });
  }

  private async requestLease({ purpose, claim }: Extract<Effect, { do: 'request-lease' }>): Promise<void> {
    this.schedule.cancelAttempt();
    const queueMs = (): number => this.schedule.queueMs(purpose);
    const answer = await this.client.requestLease(purpose, claim, queueMs, () => this.machine);
    const following = this.dispatch(answer);
    // What time alone has changed is announced here, and nowhere else.
    void this.dispatch({ type: 'reading' });
    this.waits.wake();
    await following;
  }

  private async release({ lease, lastUsedMs }: Extract<Effect, { do: 'release' }>): Promise<void> {
    const timeoutMs = isStopped(this.machine.phase) ? this.lastReleaseMs() : this.settings.callTimeoutMs;
    await this.client.release(lease, lastUsedMs, timeoutMs);
    await this.dispatch({ type: 'release-over' });
  }

  /** Returns how long the release of a stop may take. */
  private lastReleaseMs(): number {
    const { outage } = this.machine;
    const isSilent = this.hangsAtStop || (outage !== undefined && outage.answersSinceMs === undefined);
    return (isSilent ? STOP_TIMEOUT_MS : RELEASE_TIMEOUT_MS) - GRACE_MS;
  }

  private endStart(): void {
    this.schedule.endStart();
    this.started.resolve();
  }

  private beginRenewals(): void {
    this.schedule.beginRenewals();
    this.endStart();
  }

  private async shutDown(store: StoreUse, error?: SnowflakeError): Promise<void> {
    const { clock } = this.environment;
    // The timers of a stop don't keep the process alive, so with a store that hangs it would end in the middle.
    const guard = clock.schedule(ALIVE_FOR_MS, () => undefined);
    guard.keepProcessAlive?.();
    this.schedule.stop();
    this.waits.stop();
    if (store === 'opening') {
      this.warn('was still opening when the ID maker stopped. It is closed as soon as it is open.');
    }
    if (store === 'open') {
      await settledWithin(clock, STOP_TIMEOUT_MS, this.inFlight, () => undefined).catch(() => {
        this.hangsAtStop = true;
      });
      await this.dispatch({ type: 'call-over' });
      await this.closeStore();
    }
    guard.cancel();
    this.stopped.resolve();
    if (error) this.started.reject(error);
  }

  private closeStore(): Promise<void> {
    return closeStore(this.store, this.environment.clock, (problem) => this.warn(problem));
  }

  private whyNotIssuing(): SnowflakeError {
    if (!this.machine.lease) return new NotReadyError();
    const { currentWorkerId, windowEndMs } = this.generator;
    return new LeaseExhaustedError(currentWorkerId, new Date(windowEndMs));
  }

  private typed(error: unknown): SnowflakeError {
    return asSnowflakeError(error, this.store.description);
  }

  private warn(problem: string): void {
    this.listeners.warn(`${this.store.description} ${problem}`);
  }
}
