import type { DataSourceOptions } from 'typeorm';
import { safeCopy } from '../core/errors/foreign-error.js';
import { SeriesConflictError, SnowflakeError, StoreRejectedError } from '../core/errors/index.js';
import { credentialsIn } from '../kit/credentials.js';
import { isMissingTable, toStoreError } from '../kit/sql/errors.js';

/** The codes of deadlocks, serialization failures, lock timeouts and busy files. */
const CONFLICT =
  /^(40001|40P01|55P03|ER_LOCK_DEADLOCK|ER_LOCK_WAIT_TIMEOUT|ER_CHECKREAD|SQLITE_BUSY\w*|SQLITE_LOCKED\w*)$/;

/** The codes of values that the tables can't hold: keys that exist, numbers and texts that are too long. */
const INVALID =
  /^(2[23]\w{3}|ER_DUP_ENTRY|ER_DATA_OUT_OF_RANGE|ER_WARN_DATA_OUT_OF_RANGE|ER_DATA_TOO_LONG|SQLITE_CONSTRAINT\w*|SQLITE_MISMATCH)$/;
/**
 * Codes after which MySQL and MariaDB, or SQLite (https://www.sqlite.org/lang_transaction.html#response_to_errors_within_a_transaction),
 * have or may have rolled back the whole transaction, whose next statements would each commit.
 */
const ENDS_TRANSACTION =
  /^(ER_LOCK_DEADLOCK|ER_LOCK_WAIT_TIMEOUT|ER_CHECKREAD|SQLITE_(FULL|IOERR\w*|NOMEM|INTERRUPT))$/;

/** Returns whether a statement that failed with this error of a driver ends its transaction. */
export function endsTransaction(error: unknown): boolean {
  return ENDS_TRANSACTION.test(String(safeCopy(error).code));
}

/** Returns whether a statement failed only because one before it had ended its transaction on PostgreSQL. */
export function isConsequence(error: unknown): boolean {
  return safeCopy(error).code === '25P02';
}

/** Turns a deadlock and the like in a statement of the app into an error of this library. Leaves other errors as they are. */
export function toConflict(error: unknown, options: DataSourceOptions): unknown {
  // TypeORM's QueryFailedError. Another copy of TypeORM has another class.
  const isOfQuery = error instanceof Error && 'query' in error && 'driverError' in error;
  if (!isOfQuery) return error;
  const converted = toSeriesError(error, options);
  return converted instanceof SeriesConflictError ? converted : error;
}

/** Turns an error of the database into one of this library, without its passwords. */
export function toSeriesError(error: unknown, options: DataSourceOptions): SnowflakeError {
  if (error instanceof SnowflakeError) return error;
  const credentials = credentialsIn(options);
  const cause = safeCopy(error, credentials.redaction);
  if (CONFLICT.test(String(cause.code)) || cause.message.includes('database is locked')) {
    return new SeriesConflictError(cause.message, cause);
  }
  if (isMissingTable(error)) {
    const remedy = 'Run the migration CreateSnowflakeSeriesTables1767225600010, or set createTables: true.';
    return new StoreRejectedError(`The tables of series are missing: ${cause.message}. ${remedy}`, cause);
  }
  if (INVALID.test(String(cause.code))) {
    const remedy =
      'Look for changes: if a counter was put back, set it to its largest number. If `format` or `resets` of the series has ' +
      'changed, its texts come again: give it a format whose texts are new.';
    return new StoreRejectedError(`The tables of series refuse a number: ${cause.message}. ${remedy}`, cause);
  }
  return toStoreError('The tables of series', error, credentials);
}
