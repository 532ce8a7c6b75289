import { safeValue, showValue } from 'nestjs-snowflake/internal/core/errors/show-value';
import { SnowflakeError } from 'nestjs-snowflake/core';

/**
 * The app requested a number outside a transaction, or in one that can't prevent gaps, or the DataSource has no `SeriesSubscriber`.
 *
 * Insert the document and take its number in one transaction. The message says what to change.
 */
export class SeriesTransactionError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_SERIES_TRANSACTION';

  /**
   * @param problem what is wrong, as a sentence without its full stop
   * @param remedy what to do about it, as a full sentence
   * @param cause the error because of which the transaction failed, if there is one
   */
  constructor(problem: string, remedy: string, cause?: unknown) {
    super(`${problem}. ${remedy}`, { cause });
  }
}

/**
 * The database aborted a transaction that takes numbers, for example because of a deadlock or a lock timeout.
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
    super(`The transaction can't continue: ${reason}. Roll back, and run the whole transaction again.`, {
      cause,
    });
  }
}

/**
 * The next number of a series is longer than its `maxLength`.
 *
 * Raise `maxLength` if your documents can have longer numbers, or use another series.
 */
export class SeriesExhaustedError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_SERIES_EXHAUSTED';

  constructor(
    readonly text: string,
    readonly maxLength: number,
  ) {
    super(
      `The next number ${showValue(text)} is longer than maxLength (${maxLength}), so it was not issued. Raise maxLength, or use another series.`,
    );
  }
}

/**
 * The series has not issued this number in this scope.
 *
 * Pass the number exactly as the series issued it, with the scope of its document.
 */
export class UnknownSeriesNumberError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_UNKNOWN_SERIES_NUMBER';

  constructor(
    readonly series: string,
    readonly text: string,
  ) {
    super(
      `The series '${series}' has not issued the number ${showValue(text)} in this scope. Pass the text exactly as the series issued it.`,
    );
  }
}

/**
 * The number of this document was voided, so the document can't get it again.
 *
 * If another document takes its place, pass another key as `document`.
 */
export class VoidedSeriesNumberError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_VOIDED_SERIES_NUMBER';

  constructor(
    readonly series: string,
    readonly text: string,
    readonly document: string,
  ) {
    super(
      `The number ${showValue(text)} of the document ${showValue(document)} in the series '${series}' was voided. If another ` +
        'document takes its place, pass another key as document.',
    );
  }
}

/** What a date of a document can be. A column for dates, or for instants, accepts only values that it can store unchanged. */
export type DateForm = 'any' | 'date' | 'instant';

const REMEDIES: Readonly<Record<DateForm, string>> = {
  any: "Pass a valid Date, a date such as '2026-12-31', or a timestamp with its offset, such as '2026-12-31T23:30:00Z'.",
  date: "Set a date such as '2026-12-31'.",
  instant: "Set a valid Date, or a timestamp with its offset, such as '2026-12-31T23:30:00Z'.",
};

/**
 * The value can't be the date of a document, for example because the day doesn't exist or a time has no offset.
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
   * @param form what it can be instead
   */
  constructor(
    readonly source: string,
    value: unknown,
    readonly problem: string,
    form: 'any' | 'date' | 'instant' = 'any',
  ) {
    super(
      `${source} ${problem} (given: ${showValue(value)}). ${REMEDIES[form]} The year must be from 1000 to 9999.`,
    );
    const example = form === 'instant' ? 'timestamp such as 2026-12-31T23:30:00Z' : 'date such as 2026-12-31';
    this.clientFault = `Not a valid date: it ${problem}. Send a ${example}.`;
    this.value = safeValue(value);
  }
}
