import { safeValue, showValue } from 'nestjs-snowflake/kit';
import { SnowflakeError } from 'nestjs-snowflake/core';

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

/**
 * The number of a document was voided, so the document gets it no more.
 *
 * Pass another key as `document` if another document takes its place, such as the order's ID with a counter.
 */
export class VoidedSeriesNumberError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_VOIDED_SERIES_NUMBER';

  constructor(
    readonly series: string,
    readonly text: string,
    readonly document: string,
  ) {
    super(
      `The number ${showValue(text)} of the document ${showValue(document)} in the series '${series}' was voided. For another ` +
        'document in its place, pass another key as document.',
    );
  }
}

const DATE_REMEDY =
  "Pass a valid Date, a date such as '2026-12-31', or a timestamp with its offset, such as '2026-12-31T23:30:00Z'; " +
  'years 1000 to 9999.';

/**
 * Not the date of a document that gets a number: a day that the calendar doesn't have, a time without its offset, a year without
 * four digits, or something else.
 *
 * Respond with 400, because such a date usually comes from a client.
 */
export class InvalidDateError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_INVALID_DATE';
  override readonly clientFault: string;
  /** The given value, without secrets. A string describes the type of an object. */
  readonly value: unknown;

  /**
   * @param source where the value comes from: the argument `date`, or a column and its property, e.g. `Invoice.number: issuedOn`
   * @param value the given value
   * @param problem what is wrong with it, as the end of a sentence that starts with `source`
   */
  constructor(
    readonly source: string,
    value: unknown,
    readonly problem: string,
  ) {
    super(`${source} ${problem} (given: ${showValue(value)}). ${DATE_REMEDY}`);
    this.clientFault = `Not a valid date: it ${problem}. Send a date such as 2026-12-31.`;
    this.value = safeValue(value);
  }
}
