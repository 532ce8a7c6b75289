import { seeDocs } from '../see-docs.js';
import { SnowflakeError } from './snowflake-error.js';

/**
 * The bit layout has reached its last timestamp.
 *
 * Move to a later epoch or more timestamp bits, in a new namespace.
 */
export class TimestampExhaustedError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_TIMESTAMP_EXHAUSTED';

  /** @param expiredAt the last instant that the layout can hold */
  constructor(readonly expiredAt: Date) {
    super(
      `The bit layout ended at ${expiredAt.toISOString()}, so no more IDs can be generated. ` +
        `Move to a layout with more timestamp bits or a later epoch, in a new namespace.`,
    );
  }
}

/**
 * All sequence numbers of the current tick are used. Thrown only under `onSequenceExhausted: 'throw'`.
 *
 * Retry in the next tick. If it happens often, use more sequence bits or more processes.
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
        `Retry in ${tickMs} ms. If this happens often, use a layout with more sequence bits, or run more processes.`,
    );
  }
}

/**
 * The clock went back further than `onClockRollback` tolerates. Thrown only under the policies `wait` and `throw`.
 *
 * Retry when the clock has caught up, and fix the host's time service.
 */
export class ClockRollbackError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_CLOCK_ROLLBACK';
  override readonly retryable = true;

  constructor(
    readonly backwardsMs: number,
    readonly policy: string,
  ) {
    super(
      `The clock went back by ${backwardsMs} ms, and under onClockRollback '${policy}' no IDs are generated until it has caught up. ` +
        `Retry then, and fix the host's time service, or set onClockRollback to 'switch'.`,
    );
  }
}

/**
 * The app requested an ID before it had a lease.
 *
 * Await `ids.ready()` or `ids.start()` first, as a Nest app does. With `lease.waitAtBoot: false`, respond with 503.
 */
export class NotReadyError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_NOT_READY';
  override readonly retryable = true;

  constructor() {
    super(
      'This process holds no lease yet, so it can generate no IDs. Await ready() before the first ID, as a Nest app does when it starts. ' +
        'With lease.waitAtBoot: false, retry, or send requests to this process only when its readiness is up.',
    );
  }
}

const LAST_CALLS =
  'In a Nest app, generate the last ones in beforeApplicationShutdown or earlier, and within drainTimeoutMs of the signal. ' +
  seeDocs('guides/deploy', 'Shutdown');

/**
 * The app requested an ID after the lease was released, or `stop()` interrupted `start()`.
 *
 * Generate the last IDs in `beforeApplicationShutdown` or earlier, within `drainTimeoutMs`.
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
        ? `The source of tag "${tag}" has stopped, returned its unused numbers, and issues no more. ${LAST_CALLS}`
        : reason === undefined
          ? `The ID maker has stopped, released its lease, and generates no more IDs. ${LAST_CALLS}`
          : `The ID maker stopped before it held a lease: ${reason}.`,
    );
  }
}

/**
 * The ID maker has used up its window, and the store did not renew the lease.
 *
 * Respond with 503, and don't restart the process: it recovers when the store answers. See "The lease store is unreachable" in the
 * documentation.
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
      `The lease of worker ID ${workerId} ended at ${endedAt.toISOString()} and could not be renewed, so this process can't generate IDs. ` +
        `It recovers as soon as the store answers. Check the store, and don't restart the process. ` +
        seeDocs('operations/store-unreachable'),
    );
  }
}
