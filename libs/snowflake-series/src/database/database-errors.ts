import type { DataSourceOptions } from 'typeorm';
import { safeCopy } from 'nestjs-snowflake/internal/core/errors/foreign-error';
import { showValue } from 'nestjs-snowflake/internal/core/errors/show-value';
import { seeDocs } from 'nestjs-snowflake/internal/core/see-docs';
import { credentialsIn } from 'nestjs-snowflake/internal/kit/credentials';
import { means, toSqlStoreError } from 'nestjs-snowflake/internal/kit/sql/errors';
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

/**
 * Returns the number because of which a unique index has refused a row; `undefined` if it was something else. PostgreSQL, MySQL and
 * MariaDB show the values, SQLite shows the columns.
 *
 * @param taken the numbers of the statement
 * @param columns the columns with numbers, as `table.column`
 */
export function numberRepeated(
  error: unknown,
  taken: readonly string[],
  columns: ReadonlySet<string>,
): string | undefined {
  const { message, detail } = Object(error) as { readonly message?: unknown; readonly detail?: unknown };
  const shown = `${String(message)} ${String(detail)}`;
  const found = taken.filter((text) => shown.includes(text));
  // INV-1 is a part of INV-12.
  if (found.length > 0) return found.reduce((one, other) => (other.length > one.length ? other : one));
  const named = /UNIQUE constraint failed: (.*)/.exec(String(message))?.[1]?.split(', ') ?? [];
  return named.some((column) => columns.has(column)) ? taken[0] : undefined;
}

/** Returns the error of a number that another row has already. */
export function numberInUse(text: string, error: unknown, options: DataSourceOptions): StoreRejectedError {
  const cause = safeCopy(error, credentialsIn(options).redaction);
  return new StoreRejectedError(
    `The number ${showValue(text)} can't be inserted, because another row has it: ${cause.message}. If the series has not issued it ` +
      'to that row, series.audit() lists it as unknown: correct the row, or raise the counter above it. If that row is of another ' +
      `scope, add the scope to the unique index. ${seeDocs('reference/series', 'Find gaps')}`,
    cause,
  );
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
      'changed, earlier texts repeat: use a format with new ones.';
    return new StoreRejectedError(`The tables of series refuse a number: ${cause.message}. ${remedy}`, cause);
  }
  return toSqlStoreError('The tables of series', error, remedies, credentials);
}
