import { seeDocs } from '../see-docs.js';
import { SnowflakeError } from './snowflake-error.js';

/**
 * The bit layout has reached its last timestamp. In the last year before that, every start of a Nest app logs a warning.
 *
 * Move to a later epoch or more timestamp bits, in a new namespace.
 */
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

/**
 * All sequence numbers of the tick are used, under `onSequenceExhausted: 'throw'`.
 *
 * Retry in the next tick. If it happens often, give the layout more sequence bits or run more processes.
 */
export class SequenceExhaustedError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_SEQUENCE_EXHAUSTED';
  override readonly retryable = true;

  constructor(
    readonly idsPerTick: number,
    readonly tickMs: number,
  ) {
    super(
      `All ${idsPerTick} sequence numbers of this ${tickMs} ms tick are used. ` +
        `Retry in ${tickMs} ms. If this happens often, give the layout more sequence bits or run more processes.`,
    );
  }
}

/**
 * The clock went back further than `onClockRollback` covers. Only the policies `wait` and `throw` throw this error; the
 * others cover every step.
 *
 * Retry when the clock has caught up, and repair the time service of the host.
 */
export class ClockRollbackError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_CLOCK_ROLLBACK';
  override readonly retryable = true;

  constructor(
    readonly backwardsMs: number,
    readonly policy: string,
  ) {
    super(
      `The clock went back by ${backwardsMs} ms and onClockRollback is '${policy}'. ` +
        `Retry when it has caught up, fix the host's time service, or set onClockRollback to 'switch'.`,
    );
  }
}

/**
 * The app asked for an ID before the first lease.
 *
 * Await `ids.ready()` or `ids.start()` first. A Nest app does this while it boots. With `lease.waitAtBoot: false` it boots without a
 * lease: respond with 503, and the client retries.
 */
export class NotReadyError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_NOT_READY';
  override readonly retryable = true;

  constructor() {
    super(
      'No lease is held yet. Await ready() before the first ID. A Nest app does this while it boots, unless lease.waitAtBoot is false. ' +
        'Then retry, or route requests to this process when its readiness is up.',
    );
  }
}

const LAST_CALLS =
  'In a Nest app, make the last ones in beforeApplicationShutdown or earlier, and within drainTimeoutMs of the signal. ' +
  seeDocs('guides/deploy', 'Shutdown');

/**
 * The app asked for an ID after the lease was released, or `stop()` ended a start.
 *
 * Make the last IDs in `beforeApplicationShutdown` or earlier, and within `drainTimeoutMs` of the start of the shutdown.
 */
export class StoppedError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_STOPPED';

  /**
   * @param reason what was in progress, as a clause, if the maker stopped before it held a lease
   * @param tag the tag of a segment source; absent for an ID maker
   */
  constructor(reason?: string, tag?: string) {
    super(
      tag !== undefined
        ? `The source of tag "${tag}" has stopped, returned its unused numbers, and makes no more. ${LAST_CALLS}`
        : reason === undefined
          ? `The ID maker has stopped, released its lease, and makes no more IDs. ${LAST_CALLS}`
          : `The ID maker stopped before it held a lease: ${reason}.`,
    );
  }
}

/**
 * The maker has used its whole window, and the store did not renew the lease.
 *
 * Respond with 503. Don't restart the process: it issues IDs again as soon as the store grants or renews a lease.
 * See "The lease store is unreachable" in the documentation.
 */
export class LeaseExhaustedError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_LEASE_EXHAUSTED';
  override readonly retryable = true;

  /** @param endedAt last instant of the window */
  constructor(
    readonly workerId: number,
    readonly endedAt: Date,
  ) {
    super(
      `The lease of worker ID ${workerId} ended at ${endedAt.toISOString()} and could not be renewed. ` +
        `This process issues IDs again as soon as the store answers. Check the store, and don't restart the process. ` +
        seeDocs('operations/store-unreachable'),
    );
  }
}
