import { showValue } from './show-value.js';
import { SnowflakeError } from './snowflake-error.js';

/**
 * A number of a series was asked for outside of a transaction, its transaction can't keep the promise of no gap, or the
 * DataSource has no `SeriesSubscriber`.
 *
 * Insert the document in a transaction, and take the number there. The message says what to change.
 */
export class SeriesTransactionError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_SERIES_TRANSACTION';

  /**
   * @param problem what is wrong, as a sentence without its full stop
   * @param remedy what to do about it, as a full sentence
   * @param cause the error that spoiled the transaction, if there is one
   */
  constructor(problem: string, remedy: string, cause?: unknown) {
    super(`${problem}. ${remedy}`, { cause });
  }
}

/**
 * The database ended a transaction that takes a number, or that `series.transaction()` runs: a deadlock, a serialization
 * failure, a lock timeout, or a busy file.
 *
 * Roll back, and run the whole transaction again.
 */
export class SeriesConflictError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_SERIES_CONFLICT';
  override readonly retryable = true;

  constructor(
    readonly reason: string,
    cause?: unknown,
  ) {
    super(`The transaction can't go on: ${reason}. Roll back and run all of it again.`, { cause });
  }
}

/**
 * The next number of a series is longer than its `maxLength`.
 *
 * Raise `maxLength` if your documents may have longer numbers, or open another series.
 */
export class SeriesExhaustedError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_SERIES_EXHAUSTED';

  constructor(
    readonly text: string,
    readonly maxLength: number,
  ) {
    super(
      `The number ${showValue(text)} is longer than maxLength (${maxLength}). Raise maxLength, or use another series.`,
    );
  }
}

/**
 * A series has no such number.
 *
 * Pass the text of the number as the series made it, and the scope of its document.
 */
export class UnknownSeriesNumberError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_UNKNOWN_SERIES_NUMBER';

  constructor(
    readonly series: string,
    readonly text: string,
  ) {
    super(
      `The series '${series}' has not made the number ${showValue(text)} for this scope. Pass the text as the series made it.`,
    );
  }
}
