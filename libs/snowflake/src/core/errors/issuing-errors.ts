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

/** All sequence numbers of the tick are used up, and the `onSequenceExhausted` policy forbids to go on or to wait longer. */
export class SequenceExhaustedError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_SEQUENCE_EXHAUSTED';
  override readonly retryable = true;

  constructor(
    readonly idsPerTick: number,
    readonly tickMs: number,
  ) {
    super(
      `All ${idsPerTick} sequence numbers of this ${tickMs} ms tick are used. ` +
        `Retry in ${tickMs} ms, give the layout more sequence bits, or spread the load over more processes.`,
    );
  }
}

/** The clock went back further than the `onClockRollback` policy may cover. */
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

  /** @param reason what was under way, as the end of a sentence, where no lease was held yet */
  constructor(reason?: string) {
    super(
      reason === undefined
        ? 'The ID maker was stopped and its lease released. Make IDs before onApplicationShutdown.'
        : `The ID maker was stopped before it held a lease: ${reason}.`,
    );
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
