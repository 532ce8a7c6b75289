import { InvalidOptionError } from '../../core/errors/index.js';
import { concealed } from '../../core/errors/show-value.js';
import { requireAddress } from './database-address.js';
import type { DatabaseOptions, SqlDataSource } from './database-options.js';

/**
 * Returns the options of a database, given as a DataSource or as options.
 *
 * @throws InvalidOptionError if it is not a database, since a function of the app may return anything, or has no address
 */
export function dataSourceOptions(given: SqlDataSource): DatabaseOptions {
  requireDataSource(given);
  const options = 'initialize' in given ? given.options : given;
  requireAddress(options);
  return options;
}

/** Refuses what is not a database. @throws InvalidOptionError */
export function requireDataSource(given: unknown): void {
  if (typeof given === 'object' && given !== null) return;
  throw new InvalidOptionError(
    'dataSource',
    concealed(given),
    'is not a database',
    'Pass a TypeORM DataSource, its options, or a function that returns either.',
  );
}
