import type { DataSourceOptions } from 'typeorm';
import { safeCopy } from '../core/errors/foreign-error.js';
import { SeriesConflictError, SnowflakeError, StoreRejectedError } from '../core/errors/index.js';
import { credentialsIn } from '../stores/credentials.js';
import { isMissingTable, toStoreError } from '../stores/sql/sql-errors.js';

/** The codes of deadlocks, serialization failures, lock timeouts and busy files. */
const CONFLICT =
  /^(40001|40P01|55P03|ER_LOCK_DEADLOCK|ER_LOCK_WAIT_TIMEOUT|ER_CHECKREAD|SQLITE_BUSY\w*|SQLITE_LOCKED\w*)$/;

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
  return toStoreError('The tables of series', error, credentials);
}
