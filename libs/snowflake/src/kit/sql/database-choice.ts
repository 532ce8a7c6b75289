import { InvalidOptionError } from '../../core/errors/index.js';
import { requireObject } from '../../core/options/option-checks.js';
import { databaseOfUrl } from './database-of-url.js';
import type { SqlDataSource } from './database-options.js';
import { requireDataSource } from './given-database.js';

/** A database, or a function of the app that returns it. */
export type SqlDatabaseSource = SqlDataSource | (() => SqlDataSource | Promise<SqlDataSource>);

/** The options of a store that name its database. */
export interface DatabaseChoice {
  readonly url?: string | (() => string | Promise<string>);
  readonly driverOptions?: object;
  readonly schema?: string;
  readonly dataSource?: SqlDatabaseSource;
}

/** Returns the database of a store. @throws InvalidOptionError if the options name none, or two */
export function chosenDatabase({
  url,
  driverOptions,
  schema,
  dataSource,
}: DatabaseChoice): SqlDatabaseSource {
  if (dataSource !== undefined) {
    for (const [option, value] of Object.entries({ url, driverOptions, schema })) {
      if (value === undefined) continue;
      const remedy = option === 'url' ? 'Remove one of the two.' : 'Set it in the DataSource.';
      throw new InvalidOptionError(option, '(not shown)', 'conflicts with dataSource', remedy);
    }
    if (typeof dataSource !== 'function') requireDataSource(dataSource);
    return dataSource;
  }
  if (driverOptions !== undefined)
    requireObject(
      'driverOptions',
      driverOptions,
      'Pass the options of pg.Client or of createConnection of mysql2.',
    );
  const database = (text: unknown): SqlDataSource => ({
    ...databaseOfUrl(text, 'url'),
    ...(schema === undefined ? {} : { schema }),
    ...(driverOptions === undefined ? {} : { extra: driverOptions }),
  });
  return typeof url === 'function' ? async () => database(await url()) : database(url);
}
