import { UNKNOWN_SECRETS } from '../core/errors/redaction.js';
import {
  type BitLayout,
  type Clock,
  type DecodedId,
  IdDecoder,
  IdGenerator,
  type IdRange,
  type IdSource,
  type Instant,
  systemClock,
} from '../core/index.js';
import { keeperSettings, LeaseKeeper, type LeaseListener, type RenewalSchedule } from '../lease/index.js';
import { checkMakerOptions, checkSchedule, layoutOf } from './maker-options.js';
import { processEnvironment } from './process-environment.js';
import type { SnowflakeOptions, SnowflakeDependencies } from './snowflake-options.js';
import type { SnowflakeStatus } from './snowflake-status.js';

/** The method that Node's `console.log` and `inspect` print an object by. */
const INSPECT = Symbol.for('nodejs.util.inspect.custom');

/** How long {@link SnowflakeIdMaker.ready} waits for a lease store that was there before. */
const READY_TIMEOUT_MS = 1000;

/**
 * Makes unique, time-ordered 64-bit IDs under a leased worker ID.
 *
 * In a Nest app inject it: it holds a lease before the app has booted. Elsewhere construct it, `await start()`, and
 * `await stop()` at the end.
 *
 * IDs of one maker ascend strictly as long as it keeps its worker ID; at a change of worker ID (a clock rollback, a
 * lost lease) the order can break once, uniqueness never does.
 */
export class SnowflakeIdMaker implements IdSource {
  /** Where the fields of IDs stand. */
  readonly layout: BitLayout;

  private readonly generator: IdGenerator;
  private readonly decoder: IdDecoder;
  private readonly keeper: LeaseKeeper;
  private readonly store: SnowflakeOptions['store'];
  private readonly datacenterId: number;

  /** @throws InvalidOptionError naming the option, its value and the remedy */
  constructor(options: SnowflakeOptions, dependencies: SnowflakeDependencies = {}) {
    const clock: Clock = dependencies.clock ?? systemClock;
    checkMakerOptions(options);
    this.store = options.store;
    this.layout = layoutOf(options.layout, options.epoch);
    this.layout.assertUsableAt(clock.now());
    const environment = processEnvironment(clock, options.holderName);
    this.generator = new IdGenerator(this.layout, clock, options, environment.random);
    this.decoder = new IdDecoder(this.layout);
    const settings = keeperSettings(
      this.layout,
      options.lease ?? {},
      options.onClockRollback ?? undefined,
      options.datacenterId,
    );
    this.datacenterId = settings.datacenterId;
    this.keeper = new LeaseKeeper(this.store, this.generator, settings, environment);
  }

  /**
   * The next ID as a decimal string: safe in JSON, in TypeORM and in a browser. Synchronous, no I/O.
   *
   * @throws LeaseExhaustedError when the window is used up and the store away (retryable; recovers by itself)
   * @throws SequenceExhaustedError under `onSequenceExhausted: 'throw'` (retryable)
   * @throws ClockRollbackError under `onClockRollback: 'wait'` and `'throw'` (retryable)
   * @throws TimestampExhaustedError at the end of the layout
   * @throws NotReadyError before the first lease, StoppedError after {@link stop}
   */
  nextId(): string {
    return this.generator.nextId();
  }

  /** The next ID as a bigint. Throws as {@link nextId}. */
  nextBigInt(): bigint {
    return this.generator.nextBigInt();
  }

  /** The next `count` IDs (0 to 10,000,000), ascending. Throws as {@link nextId}, and then hands out none. */
  nextIds(count: number): string[] {
    return this.generator.nextIds(count);
  }

  /** The next `count` IDs (0 to 10,000,000), ascending. Throws as {@link nextId}, and then hands out none. */
  nextBigInts(count: number): BigUint64Array {
    return this.generator.nextBigInts(count);
  }

  /** Fills `target` with the next IDs, ascending, and returns it. When it throws, `target` must not be used. */
  fillBigInts<Target extends BigUint64Array>(target: Target): Target {
    return this.generator.fillBigInts(target);
  }

  /** Reads the fields of an ID of this layout, whoever made it. @throws InvalidIdError */
  decode(id: string | bigint): DecodedId {
    return this.decoder.decode(id);
  }

  /** The smallest ID of an instant, for `id >= :first`. @throws InvalidOptionError beyond the end of the layout */
  firstIdAt(instant: Instant): string {
    return this.decoder.firstIdAt(instant);
  }

  /** The largest ID of an instant, for `id <= :last`. @throws InvalidOptionError beyond the end of the layout */
  lastIdAt(instant: Instant): string {
    return this.decoder.lastIdAt(instant);
  }

  /**
   * The IDs whose decoded timestamp lies in `[from, to)`, for `id >= :first AND id < :before`.
   *
   * @throws InvalidOptionError beyond the end of the layout, or when `to` is before `from`
   */
  idRange(from: Instant, to: Instant): IdRange {
    return this.decoder.idRange(from, to);
  }

  /** Whether {@link nextId} can issue right now. */
  get canIssue(): boolean {
    return this.generator.canIssue;
  }

  /**
   * Resolves when an ID can be issued: at once where one can, after the first lease during a start, and otherwise when
   * the lease store is back. Of a maker that was not started yet it is the start.
   *
   * @throws the errors of {@link start}, after which everything is closed
   * @throws LeaseExhaustedError when the store stays away for another second
   */
  ready(): Promise<void> {
    return this.keeper.untilIssuing(READY_TIMEOUT_MS);
  }

  /**
   * Opens the store and acquires the first lease. Called again, it returns the same promise. When it rejects, everything
   * is closed; a store that is still opening is closed as soon as it is open.
   *
   * @throws AcquireTimeoutError, WorkerIdsExhaustedError after `acquireTimeoutMs`
   * @throws StoppedError when {@link stop} was called meanwhile
   * @throws LayoutMismatchError, StoreRejectedError, StoreCorruptError, ClockSkewError, InvalidOptionError at once
   */
  start(): Promise<void> {
    return this.keeper.start();
  }

  /** Stops issuing, gives the lease back and closes the store. Takes at most 1.5 seconds; never rejects. */
  stop(): Promise<void> {
    return this.keeper.stop();
  }

  /**
   * From now on renewals are called for by `schedule`; without one, by timers of its own (the default).
   *
   * @throws InvalidOptionError when `schedule` lacks `start` or `stop`; renewals go on as before
   */
  setRenewalSchedule(schedule?: RenewalSchedule): void {
    checkSchedule(schedule);
    this.keeper.setRenewalSchedule(schedule);
  }

  /** The clock with its correction, Unix time in milliseconds. */
  nowMs(): number {
    return this.generator.time.nowMs();
  }

  /** How things stand, for health checks and metrics. */
  status(): SnowflakeStatus {
    const { keeper, generator } = this;
    const { state, leaseUntilMs, lastError } = keeper;
    const holds = leaseUntilMs !== undefined;
    return {
      state,
      store: UNKNOWN_SECRETS.clean(String(this.store.description)),
      workerId: holds ? generator.currentWorkerId : undefined,
      datacenterId: this.layout.maxDatacenterId > 0 ? this.datacenterId : undefined,
      leaseUntil: holds && this.store.renewable ? new Date(leaseUntilMs) : undefined,
      expiresAt: this.layout.expiresAt,
      driftMs: holds ? generator.time.driftMs : 0,
      clockCorrectionMs: generator.time.correctionMs,
      lastError: lastError && { code: lastError.code, message: lastError.message },
    };
  }

  /** The {@link status}: a store of the app's own, which is held inside, may hold passwords. */
  toJSON(): SnowflakeStatus {
    return this.status();
  }

  /** As {@link toJSON}. */
  protected [INSPECT](
    _depth: number,
    options: object,
    inspect: (value: unknown, options: object) => string,
  ): string {
    return `SnowflakeIdMaker ${inspect(this.status(), options)}`;
  }

  /** Calls `listener` on each event of the lease. @returns a function that ends it */
  subscribe(listener: LeaseListener): () => void {
    return this.keeper.subscribe(listener);
  }
}
