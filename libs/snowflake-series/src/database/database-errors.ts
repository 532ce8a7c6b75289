import type { DataSourceOptions } from 'typeorm';
import { credentialsIn, safeCopy } from 'nestjs-snowflake/kit';
import { means, toStoreError } from 'nestjs-snowflake/kit-sql';
import { SeriesConflictError } from '../core/series-errors.js';
import { SnowflakeError } from 'nestjs-snowflake/core';
import { StoreRejectedError } from 'nestjs-snowflake/store';
import { SERIES_TABLES } from './series-tables.js';

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
  if (means(error, 'conflict', 'lockTimeout')) return new SeriesConflictError(cause.message, cause);
  const { remedies } = SERIES_TABLES;
  if (means(error, 'missingTable')) {
    return new StoreRejectedError(
      `The tables of series are missing: ${cause.message}. ${remedies.missingTables}`,
      cause,
    );
  }
  if (means(error, 'invalidValue')) {
    const remedy =
      'If a counter was restored to an older value, set it to its largest number. If `format` or `resets` of the series was ' +
      'changed, earlier texts repeat: use a format that makes new ones.';
    return new StoreRejectedError(`The tables of series refuse a number: ${cause.message}. ${remedy}`, cause);
  }
  return toStoreError('The tables of series', error, remedies, credentials);
}
