import { SnowflakeError } from './snowflake-error.js';

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

/** All sequence numbers of the tick are used, and the `onSequenceExhausted` policy is `throw`. */
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

/** The clock went back, and the `onClockRollback` policy doesn't cover a step of this size. */
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

/** An ID was requested before the first lease was acquired. */
export class NotReadyError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_NOT_READY';
  override readonly retryable = true;

  constructor() {
    super('No lease is held yet. Await ready() before the first ID (a Nest app does this while it boots).');
  }
}

/** An ID was requested after the ID maker stopped, or it stopped before it acquired a lease. */
export class StoppedError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_STOPPED';

  /** @param reason what was in progress, as a clause, if the maker stopped before it held a lease */
  constructor(reason?: string) {
    super(
      reason === undefined
        ? 'The ID maker was stopped and its lease released. Make IDs before onApplicationShutdown.'
        : `The ID maker was stopped before it held a lease: ${reason}.`,
    );
  }
}

/** All timestamps of the leased window are used, and the lease could not be renewed. Fails closed. */
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
        `Check the lease store; the process issues IDs again as soon as it can renew or acquire a lease.`,
    );
  }
}
