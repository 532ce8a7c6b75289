import { UNKNOWN_SECRETS } from './redaction.js';
import { showValue } from './show-value.js';
import { SnowflakeError } from './snowflake-error.js';

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
  /** What was found, without what looks like a password: nobody knows who wrote it. */
  readonly stored: string;

  constructor(
    readonly namespace: string,
    readonly field: string,
    stored: string,
  ) {
    super(
      `${namespace} holds an unreadable value in field ${showValue(field)}: ${showValue(stored)}. Nothing was changed. ` +
        `Find out who wrote it; then stop all holders, delete what is stored under the namespace and start them a window ` +
        `later, with onEmptyStore: 'wait'.`,
    );
    this.stored = UNKNOWN_SECRETS.clean(String(stored));
  }
}
