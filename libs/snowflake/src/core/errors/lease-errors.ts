import { UNKNOWN_SECRETS } from './redaction.js';
import { showValue } from './show-value.js';
import { SnowflakeError } from './snowflake-error.js';

/** The local clock and the store's clock differ by more than `maxSkewMs`, and `strictClock` is on. */
export class ClockSkewError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_CLOCK_SKEW';

  /** @param skewMs store's clock minus local clock, in milliseconds */
  constructor(
    readonly skewMs: number,
    readonly maxSkewMs: number,
  ) {
    super(
      `The local clock is ${Math.abs(skewMs)} ms ${skewMs > 0 ? 'behind' : 'ahead of'} the lease store's clock; ` +
        `strictClock allows ${maxSkewMs} ms. Fix this host's time service, or set strictClock: false to let the ID maker ` +
        `add the difference.`,
    );
  }
}

/** Other holders hold every worker ID of the namespace. */
export class WorkerIdsExhaustedError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_WORKER_IDS_EXHAUSTED';
  override readonly retryable = true;

  /** @param nextFreeInMs milliseconds until the first of the held windows ends, unless it is renewed */
  constructor(
    readonly workerCount: number,
    readonly nextFreeInMs: number,
    readonly namespace: string,
  ) {
    super(
      `All ${workerCount} worker IDs of ${namespace} are held; the next one becomes free in ${nextFreeInMs} ms at the ` +
        `earliest. Use more worker bits, fewer processes or a shorter window: each live process and each crash within a ` +
        `window needs a worker ID.`,
    );
  }
}

/** The namespace is in use with another bit layout, epoch, tick, datacenter ID or worker ID range. */
export class LayoutMismatchError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_LAYOUT_MISMATCH';

  constructor(
    readonly namespace: string,
    readonly ownLayout: string,
    readonly storedLayout: string,
  ) {
    super(
      `${namespace} has the layout "${storedLayout}", but this process has "${ownLayout}". ` +
        `IDs of two layouts can collide: give this service its own namespace, or the same layout and epoch as the ` +
        `others.`,
    );
  }
}

/** The process acquired no lease within `acquireTimeoutMs`. `cause` is the last error. */
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

/** The lease store didn't answer, or answered that it's temporarily unavailable. */
export class StoreUnavailableError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_STORE_UNAVAILABLE';
  override readonly retryable = true;

  constructor(message: string, cause?: unknown) {
    super(message, { cause });
  }
}

/** The lease store rejects this client permanently: wrong password, missing permissions, wrong kind of server. */
export class StoreRejectedError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_STORE_REJECTED';

  constructor(message: string, cause?: unknown) {
    super(message, { cause });
  }
}

/** The lease store holds data under the namespace that this library didn't write. The data is left unchanged. */
export class StoreCorruptError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_STORE_CORRUPT';
  /** The data found, without anything that looks like a password, because its origin is unknown. */
  readonly stored: string;

  constructor(
    readonly namespace: string,
    readonly field: string,
    stored: string,
  ) {
    super(
      `${namespace} holds an unreadable value in field ${showValue(field)}: ${showValue(stored)}. Nothing was changed. ` +
        `Find out who wrote it. Then stop all holders, delete everything stored under the namespace, and start them ` +
        `one window later with onEmptyStore: 'wait'.`,
    );
    this.stored = UNKNOWN_SECRETS.clean(String(stored));
  }
}
