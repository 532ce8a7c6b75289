/** Every `code` that an error of this library can carry. Codes are stable across releases; messages are not. */
export type SnowflakeErrorCode =
  | 'SNOWFLAKE_INVALID_OPTION'
  | 'SNOWFLAKE_INVALID_ID'
  | 'SNOWFLAKE_TIMESTAMP_EXHAUSTED'
  | 'SNOWFLAKE_SEQUENCE_EXHAUSTED'
  | 'SNOWFLAKE_CLOCK_ROLLBACK'
  | 'SNOWFLAKE_CLOCK_SKEW'
  | 'SNOWFLAKE_NOT_READY'
  | 'SNOWFLAKE_STOPPED'
  | 'SNOWFLAKE_LEASE_EXHAUSTED'
  | 'SNOWFLAKE_WORKER_IDS_EXHAUSTED'
  | 'SNOWFLAKE_LAYOUT_MISMATCH'
  | 'SNOWFLAKE_ACQUIRE_TIMEOUT'
  | 'SNOWFLAKE_STORE_UNAVAILABLE'
  | 'SNOWFLAKE_STORE_REJECTED'
  | 'SNOWFLAKE_STORE_CORRUPT'
  | 'SNOWFLAKE_DUPLICATE_INSTANCE'
  | 'SNOWFLAKE_UNKNOWN_INSTANCE'
  | 'SNOWFLAKE_MISSING_SUBSCRIBER'
  | 'SNOWFLAKE_LOSSY_DRIVER';

/** Base of every error that the library throws. Match on {@link code}, show {@link message} to people. */
export abstract class SnowflakeError extends Error {
  /** Stable, machine-readable name of the cause. */
  abstract readonly code: SnowflakeErrorCode;
  /** Whether the same call may succeed later without anybody changing anything. */
  readonly retryable: boolean = false;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** An option is missing, malformed, out of bounds, or contradicts another one. Thrown at construction. */
export class InvalidOptionError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_INVALID_OPTION';

  /**
   * @param option name of the option as the user writes it, e.g. `layout.workerBits`
   * @param value what was given
   * @param problem what is wrong with it, as the end of a sentence that starts with the option's name
   * @param remedy what to do about it, as a full sentence
   */
  constructor(
    readonly option: string,
    readonly value: unknown,
    readonly problem: string,
    readonly remedy: string,
  ) {
    super(`${option} ${problem} (given: ${show(value)}). ${remedy}`);
  }
}

/** A value that should be an ID is none: not a decimal string or bigint, or outside 63 bits. */
export class InvalidIdError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_INVALID_ID';

  constructor(
    readonly value: unknown,
    readonly problem: string,
    readonly remedy = 'Pass the decimal string that nextId() returned, or the bigint of nextBigInt().',
  ) {
    super(`Not a Snowflake ID: ${show(value)} ${problem}. ${remedy}`);
  }
}

/** The timestamp field has reached its end: the layout cannot hold a later time. */
export class TimestampExhaustedError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_TIMESTAMP_EXHAUSTED';

  /** @param expiredAt the last instant that the layout can hold */
  constructor(readonly expiredAt: Date) {
    super(
      `The timestamp field of the bit layout ended at ${expiredAt.toISOString()}. ` +
        `Move to a layout with more timestamp bits or a later epoch, in a new namespace.`,
    );
  }
}

/** All sequence numbers of the tick are used up, and the `exhaustion` policy forbids to go on or to wait longer. */
export class SequenceExhaustedError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_SEQUENCE_EXHAUSTED';
  override readonly retryable = true;

  constructor(
    readonly workerId: number,
    readonly idsPerTick: number,
    readonly tickMs: number,
  ) {
    super(
      `Worker ID ${workerId} has used all ${idsPerTick} sequence numbers of this ${tickMs} ms tick. ` +
        `Retry in ${tickMs} ms, give the layout more sequence bits, or spread the load over more processes.`,
    );
  }
}

/** The clock went back further than the `rollback` policy may cover. */
export class ClockRollbackError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_CLOCK_ROLLBACK';
  override readonly retryable = true;

  constructor(
    readonly backwardsMs: number,
    readonly policy: string,
  ) {
    super(
      `The clock went back by ${backwardsMs} ms and the rollback policy is '${policy}'. ` +
        `Retry when it has caught up, fix the time service, or use the policy 'switch'.`,
    );
  }
}

/** The local clock and the store's clock differ by more than `maxSkewMs` and `strictClock` is on. */
export class ClockSkewError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_CLOCK_SKEW';

  /** @param skewMs store's clock minus local clock */
  constructor(
    readonly skewMs: number,
    readonly maxSkewMs: number,
  ) {
    super(
      `The local clock is ${Math.abs(skewMs)} ms ${skewMs > 0 ? 'behind' : 'ahead of'} the lease store's clock; ` +
        `strictClock allows ${maxSkewMs} ms. Fix the time service of this host, or set strictClock: false to have the difference added.`,
    );
  }
}

/** An ID was asked for before the first lease was held. */
export class NotReadyError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_NOT_READY';
  override readonly retryable = true;

  constructor() {
    super('No lease is held yet. Await ready() before the first ID (a Nest app does so before it boots).');
  }
}

/** An ID was asked for after the maker was stopped and its lease released. */
export class StoppedError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_STOPPED';

  constructor() {
    super('The ID maker was stopped and its lease released. Make IDs before onApplicationShutdown.');
  }
}

/** Every timestamp of the leased window is used and the store could not be reached to extend it: fail closed. */
export class LeaseExhaustedError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_LEASE_EXHAUSTED';
  override readonly retryable = true;

  /** @param endedAt last instant of the window */
  constructor(
    readonly workerId: number,
    readonly endedAt: Date,
  ) {
    super(
      `The lease of worker ID ${workerId} ended at ${endedAt.toISOString()} and could not be renewed, so no ID can be ` +
        `proven unique. Issuing resumes by itself as soon as the lease store answers; check its health.`,
    );
  }
}

/** Every worker ID of the namespace is held. */
export class WorkerIdsExhaustedError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_WORKER_IDS_EXHAUSTED';
  override readonly retryable = true;

  /** @param nextFreeInMs when the first of the held windows ends unless it is renewed */
  constructor(
    readonly workerCount: number,
    readonly nextFreeInMs: number,
    readonly namespace: string,
  ) {
    super(
      `All ${workerCount} worker IDs of ${namespace} are held; the next becomes free in ${nextFreeInMs} ms at the earliest. ` +
        `Use more worker bits, fewer processes or a shorter window (live processes + crashes per window must fit).`,
    );
  }
}

/** The namespace is in use with another bit layout, epoch, tick or worker ID range. */
export class LayoutMismatchError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_LAYOUT_MISMATCH';

  constructor(
    readonly namespace: string,
    readonly ownLayout: string,
    readonly storedLayout: string,
  ) {
    super(
      `${namespace} belongs to the layout "${storedLayout}", this process has "${ownLayout}". ` +
        `IDs of two layouts can collide: give this service its own namespace, or the same layout and epoch as the others.`,
    );
  }
}

/** No lease could be had within `acquireTimeoutMs`. `cause` is the last error seen. */
export class AcquireTimeoutError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_ACQUIRE_TIMEOUT';
  override readonly retryable = true;

  constructor(
    readonly timeoutMs: number,
    readonly namespace: string,
    readonly reason: string,
    cause?: unknown,
  ) {
    super(`No lease on a worker ID of ${namespace} within acquireTimeoutMs (${timeoutMs} ms): ${reason}`, {
      cause,
    });
  }
}

/** The lease store did not answer, or answered that it cannot serve right now. */
export class StoreUnavailableError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_STORE_UNAVAILABLE';
  override readonly retryable = true;

  constructor(message: string, cause?: unknown) {
    super(message, { cause });
  }
}

/** The lease store refuses this client for good: wrong password, missing rights, wrong kind of server. */
export class StoreRejectedError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_STORE_REJECTED';

  constructor(message: string, cause?: unknown) {
    super(message, { cause });
  }
}

/** The lease store holds something under the namespace that this library did not write. Nothing was overwritten. */
export class StoreCorruptError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_STORE_CORRUPT';

  constructor(
    readonly namespace: string,
    readonly field: string,
    readonly stored: string,
  ) {
    super(
      `${namespace} holds an unreadable value in field ${show(field)}: ${show(stored)}. Nothing was changed. ` +
        `Find out who wrote it; then stop all holders, delete the key and start them with unknownHistory: 'wait'.`,
    );
  }
}

/** `SnowflakeModule` was registered twice under one name: each registration would hold a lease of its own. */
export class DuplicateInstanceError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_DUPLICATE_INSTANCE';

  constructor(readonly instanceName: string) {
    super(
      `SnowflakeModule is registered twice under the name '${instanceName}'. Register it once, in the root module, ` +
        `or give the second one a name of its own: forRoot({ name: '…' }).`,
    );
  }
}

/** An entity asks for IDs of a named instance that does not exist. */
export class UnknownInstanceError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_UNKNOWN_INSTANCE';

  constructor(
    readonly instanceName: string,
    readonly usedBy: string,
  ) {
    super(
      `${usedBy} wants IDs of the Snowflake instance '${instanceName}', which is not registered. ` +
        `Add SnowflakeModule.forRoot({ name: '${instanceName}', … }) or correct the name.`,
    );
  }
}

/** A row would be inserted without an ID, because nothing attached the subscriber to its DataSource. */
export class MissingSubscriberError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_MISSING_SUBSCRIBER';

  constructor(readonly column: string) {
    super(
      `${column} is a @SnowflakeId() column, but no Snowflake subscriber assigned it a value. Import SnowflakeModule into the ` +
        `app, list snowflakeSubscriber(ids) in the DataSource's subscribers, or call attachSnowflake(dataSource, ids); for writes ` +
        `that TypeORM runs without subscribers, set the ID yourself with ids.nextId().`,
    );
  }
}

/** A database driver returns 64-bit integers rounded to a JavaScript number. */
export class LossyDriverError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_LOSSY_DRIVER';

  constructor(
    readonly driver: string,
    readonly returned: string,
    readonly remedy: string,
  ) {
    super(
      `The ${driver} driver returned ${returned} for 9007199254740993: it rounds 64-bit IDs, so distinct rows would ` +
        `become one. ${remedy}`,
    );
  }
}

function show(value: unknown): string {
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'string') return JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString();
  if (typeof value === 'object' && value !== null) return Object.prototype.toString.call(value);
  return String(value);
}
