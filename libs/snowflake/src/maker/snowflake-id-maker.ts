import { UNKNOWN_SECRETS } from '../core/errors/redaction.js';
import type { BitLayout } from '../core/layout/bit-layout.js';
import type { DecodedId } from '../core/ids/decoded-id.js';
import { IdDecoder, type IdRange } from '../core/ids/decoder.js';
import { IdGenerator } from '../core/generator/generator.js';
import type { IdSource } from '../core/ids/id-source.js';
import { oneInProcess } from '../core/process-memory.js';
import type { Instant } from '../core/layout/bit-layout-options.js';
import { layoutOf } from '../core/layout/layout-of.js';
import { requireUsableAt } from '../core/layout/usable-time.js';
import { Backfill, type BackfillOptions } from '../lease/backfill.js';
import { keeperSettings } from '../lease/lease-options.js';
import { LeaseKeeper } from '../lease/lease-keeper.js';
import type { LeaseListener } from '../lease/lease-events.js';
import type { LeaseStore, RegistrySnapshot } from '../lease/lease-store.js';
import { checkMakerOptions, clockOf, storeOf } from './maker-options.js';
import { processEnvironment } from './process-environment.js';
import type { SnowflakeOptions, SnowflakeDependencies } from './snowflake-options.js';
import type { SnowflakeStatus } from './snowflake-status.js';
import { StopsByUsing } from './stops-by-using.js';

/** How long {@link SnowflakeIdMaker.ready} waits for a lease store that became unreachable. */
const READY_TIMEOUT_MS = 1000;

/**
 * Generates unique, time-ordered 64-bit IDs under a leased worker ID.
 *
 * In a Nest app, inject it: it holds a lease before the app has started. Elsewhere, construct it, call `start()`, and call
 * `stop()` at the end; `await using` stops it at the end of the block. Until then, a lease on a server keeps the process alive.
 *
 * The IDs of one ID maker ascend strictly as long as it keeps its worker ID. When the worker ID changes, after a clock rollback or a
 * lost lease, the order can break once. The IDs stay unique.
 *
 * @example In a Nest app
 * ```ts
 * export class OrdersService {
 *   constructor(private readonly ids: SnowflakeIdMaker) {}
 *
 *   newOrderId(): string {
 *     return this.ids.nextId();
 *   }
 * }
 * ```
 *
 * @example Without Nest
 * ```ts
 * const ids = new SnowflakeIdMaker({ store: redisLeaseStore({ url: 'redis://redis:6379', namespace: 'shop' }) });
 * await ids.start();
 * console.log(ids.nextId()); // 382475217496248322
 * await ids.stop();
 * ```
 */
@oneInProcess('SnowflakeIdMaker')
export class SnowflakeIdMaker extends StopsByUsing implements IdSource {
  // These are private at run time, too: access to the generator would make it possible to issue an ID twice.
  readonly #generator: IdGenerator;
  readonly #decoder: IdDecoder;
  readonly #keeper: LeaseKeeper;
  readonly #store: LeaseStore;
  readonly #backfill: Backfill;
  readonly #datacenterId: number;

  /** @throws InvalidOptionError naming the option, its value and the remedy */
  constructor(options: SnowflakeOptions = {}, dependencies: SnowflakeDependencies = {}) {
    super();
    checkMakerOptions(options);
    const clock = clockOf(dependencies);
    const layout = layoutOf(options.layout, options.epoch);
    const environment = processEnvironment(clock, options.holderName);
    this.#store = storeOf(options, environment.nodeEnv());
    // A store with its own clock is asked before the first lease.
    if (!this.#store.renewable) requireUsableAt(layout, clock.now(), "this host's clock");
    const settings = keeperSettings(
      layout,
      options.lease ?? {},
      options.onClockRollback ?? undefined,
      options.datacenterId,
    );
    this.#datacenterId = settings.datacenterId;
    this.#decoder = new IdDecoder(layout);
    this.#generator = new IdGenerator(layout, clock, options, environment.random);
    this.#keeper = new LeaseKeeper(this.#store, this.#generator, settings, environment);
    this.#backfill = new Backfill(this.#store, this.#generator, settings, environment);
  }

  /** The layout of the IDs. Frozen. */
  get layout(): BitLayout {
    return this.#generator.layout;
  }

  /**
   * Returns the next ID as a decimal string, which is safe in JSON, in TypeORM and in a browser. The call is synchronous and does
   * no I/O.
   *
   * @throws LeaseExhaustedError if the window is used up and the store is unreachable (retryable; recovers by itself)
   * @throws SequenceExhaustedError under `onSequenceExhausted: 'throw'` (retryable)
   * @throws ClockRollbackError under `onClockRollback: 'wait'` and `'throw'` (retryable)
   * @throws TimestampExhaustedError at the end of the layout
   * @throws NotReadyError before the first lease, StoppedError after {@link stop}
   * @example
   * ```ts
   * const order = { id: ids.nextId(), item: 'PEN' }; // id: '382475217496248322'
   * ```
   */
  nextId(): string {
    return this.#generator.nextId();
  }

  /** Returns the next ID as a bigint. Throws as {@link nextId}. */
  nextBigInt(): bigint {
    return this.#generator.nextBigInt();
  }

  /**
   * Returns the next `count` IDs (0 to 10,000,000), ascending. It returns all of them, or throws as {@link nextId}.
   *
   * @example
   * ```ts
   * const vouchers = ids.nextIds(500).map((id) => ({ id, percentOff: 10 }));
   * ```
   */
  nextIds(count: number): string[] {
    return this.#generator.nextIds(count);
  }

  /** Returns the next `count` IDs (0 to 10,000,000), ascending. It returns all of them, or throws as {@link nextId}. */
  nextBigInts(count: number): BigUint64Array {
    return this.#generator.nextBigInts(count);
  }

  /** Fills `target` with the next IDs, ascending, and returns it. If it throws, don't use `target`. */
  fillBigInts<Target extends BigUint64Array>(target: Target): Target {
    return this.#generator.fillBigInts(target);
  }

  /**
   * Returns an ID for each of these past instants, for rows that were created then: an import or a migration gives them the key of their
   * `created_at`. The IDs ascend strictly, and each is as old as its instant, or up to a second younger: if more rows have one instant
   * than a tick has numbers, or if an earlier batch has used it. Instants before the epoch are treated as the epoch. Sends one call to the
   * store, which claims the timestamps from the first instant to the last for this batch alone. If the batch fails after that, call it again:
   * the IDs of the new batch differ.
   *
   * @param instants ascending, none within the last second; 10,000,000 at most
   * @throws InvalidOptionError if an instant is invalid, lower than the one before it, or not past. Its index is in the message
   * @throws BackfillRefusedError if the store may have lost earlier claims, or can't keep claims
   * @throws StoreUnavailableError, StoreRejectedError, StoreCorruptError, LayoutMismatchError
   * @throws NotReadyError before {@link start} has opened the store, StoppedError after {@link stop}
   * @example
   * ```ts
   * const rows = await legacy.query('SELECT * FROM orders WHERE migrated = false ORDER BY created_at LIMIT 10000');
   * const newIds = await ids.backfill(rows.map((row) => row.created_at));
   * ```
   */
  async backfill(instants: readonly Instant[], options: BackfillOptions = {}): Promise<string[]> {
    this.#keeper.requireOpen();
    return this.#backfill.idsAt(instants, options);
  }

  /**
   * Reads the fields of an ID of this layout, whichever process generated it.
   *
   * @throws InvalidIdError if `id` isn't a valid ID, or is beyond the end of the layout
   * @example
   * ```ts
   * const { timestamp, workerId, sequence } = ids.decode('382475217496248322');
   * console.log(timestamp.toISOString(), workerId, sequence); // 2026-11-21T10:19:57.897Z 17 2
   * ```
   */
  decode(id: string | bigint): DecodedId {
    return this.#decoder.decode(id);
  }

  /** Returns the smallest ID of an instant, for `id >= :first`. @throws InvalidOptionError beyond the end of the layout */
  firstIdAt(instant: Instant): string {
    return this.#decoder.firstIdAt(instant);
  }

  /** Returns the largest ID of an instant, for `id <= :last`. @throws InvalidOptionError beyond the end of the layout */
  lastIdAt(instant: Instant): string {
    return this.#decoder.lastIdAt(instant);
  }

  /**
   * Returns the range of IDs whose timestamp lies in `[from, to)`, for `id >= :first AND id < :before`. It includes `from` and
   * excludes `to`.
   *
   * @throws InvalidOptionError beyond the end of the layout, or when `to` is before `from`
   * @example
   * ```ts
   * const { first, before } = ids.idRange('2026-11-21', '2026-11-22');
   * await dataSource.query('SELECT * FROM orders WHERE id >= $1 AND id < $2', [first, before]);
   * ```
   */
  idRange(from: Instant, to: Instant): IdRange {
    return this.#decoder.idRange(from, to);
  }

  /** Whether {@link nextId} can issue right now. */
  get canIssue(): boolean {
    return this.#generator.canIssue;
  }

  /**
   * Resolves when an ID can be issued: at once, with the first lease during startup, or when the lease store answers
   * again. Starts an ID maker that was not started.
   *
   * @throws the errors of {@link start}, after which everything is closed
   * @throws LeaseExhaustedError if the store stays unreachable for another second
   * @throws NotReadyError if `lease.waitAtBoot` is `false`, and no lease is granted within another second
   */
  ready(): Promise<void> {
    return this.#keeper.untilIssuing(READY_TIMEOUT_MS);
  }

  /**
   * Opens the store and acquires the first lease. Returns the same promise if called again. If it rejects, everything is
   * closed; a store that is still opening is closed as soon as it is open. With `lease.waitAtBoot: false` it resolves when the store has
   * first answered, or after `callTimeoutMs`, and the lease follows in the background.
   *
   * @throws AcquireTimeoutError, WorkerIdsExhaustedError after `acquireTimeoutMs`
   * @throws StoppedError when {@link stop} was called meanwhile
   * @throws LayoutMismatchError, StoreRejectedError, StoreCorruptError, ClockSkewError, InvalidOptionError at once
   */
  start(): Promise<void> {
    return this.#keeper.start();
  }

  /**
   * Stops issuing, releases the lease and closes the store. Takes at most 6 seconds, or 1.5 seconds if the store has not answered the
   * latest call; never rejects.
   */
  stop(): Promise<void> {
    return this.#keeper.stop();
  }

  /**
   * Renews the lease now, in addition to the renewals that happen by themselves: for example when a frozen process wakes up.
   * Resolves when the call to the store has succeeded or failed. Never rejects: failed calls are retried, and reported as events.
   * Does nothing before the first lease, after {@link stop}, and with a fixed worker ID.
   */
  renew(): Promise<void> {
    return this.#keeper.renew();
  }

  /** How often {@link renew} is to be called, in milliseconds. Undefined with a fixed worker ID. @internal */
  get renewEveryMs(): number | undefined {
    return this.#keeper.renewEveryMs;
  }

  /** Returns the time of the clock with the correction added, as Unix time in milliseconds. */
  nowMs(): number {
    return this.#generator.nowMs();
  }

  /**
   * Returns the state of the ID maker, for health checks and metrics.
   *
   * @example
   * ```ts
   * const { state, leaseUntil, lastError } = ids.status();
   * if (state !== 'active') console.warn(`The lease is ${state}.`, { leaseUntil, lastError });
   * ```
   */
  status(): SnowflakeStatus {
    const generator = this.#generator;
    const state = this.#keeper.currentState();
    const { leaseUntilMs, failedCalls, lastError } = this.#keeper;
    const holds = leaseUntilMs !== undefined;
    return {
      state,
      store: UNKNOWN_SECRETS.clean(String(this.#store.description)),
      workerId: holds ? generator.currentWorkerId : undefined,
      datacenterId: this.layout.maxDatacenterId > 0 ? this.#datacenterId : undefined,
      leaseUntil: holds && this.#store.renewable ? new Date(leaseUntilMs) : undefined,
      idsLeft: holds && this.#store.renewable ? generator.idsLeft : undefined,
      expiresAt: this.layout.expiresAt,
      issued: generator.issued,
      driftMs: holds ? generator.driftMs : 0,
      clockCorrectionMs: generator.correctionMs,
      failedCalls: Object.fromEntries(failedCalls),
      lastError: lastError && { code: lastError.code, message: lastError.message },
    };
  }

  /**
   * Reads who holds which worker ID of the namespace, and changes nothing. Settles within `callTimeoutMs`; overlapping
   * calls share one request to the store. `registryOverview()` of `nestjs-snowflake/standalone` explains the result.
   *
   * @throws StoreUnavailableError, StoreRejectedError, StoreCorruptError
   * @throws NotReadyError before {@link start} has opened the store, StoppedError after {@link stop}
   */
  inspect(): Promise<RegistrySnapshot> {
    return this.#keeper.inspect();
  }

  /** Returns the {@link status}, so that no secret of the store gets into logs. */
  toJSON(): SnowflakeStatus {
    return this.status();
  }

  /** Shows the {@link status} in Node's `console.log` and `util.inspect`. */
  [Symbol.for('nodejs.util.inspect.custom')](
    _depth: number,
    options: object,
    inspect: (value: unknown, options: object) => string,
  ): string {
    return `SnowflakeIdMaker ${inspect(this.status(), options)}`;
  }

  /**
   * Calls `listener` on each event of the lease.
   *
   * @returns a function that unsubscribes it
   * @example
   * ```ts
   * const unsubscribe = ids.subscribe((event) => {
   *   if (event.type === 'clock-rollback') console.warn(`The clock stepped back by ${event.backwardsMs} ms.`);
   * });
   * ```
   */
  subscribe(listener: LeaseListener): () => void {
    return this.#keeper.subscribe(listener);
  }
}
