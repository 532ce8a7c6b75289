import { InvalidOptionError } from '../core/errors/input-errors.js';
import { sharedByOtherVersions, sharedInProcess } from '../core/process-memory.js';
import { VERSION } from '../core/version.js';
import type { IdSource } from '../core/ids/id-source.js';
import type { IdSourceName } from '../core/ids/id-source-name.js';

/** A database of the app, as far as the Nest modules use it. */
export interface AppDatabase {
  /** Makes the rows take their IDs from `source`. Replaces an earlier source of the same kind and name. */
  attach(name: IdSourceName, source: IdSource): void;

  /**
   * Refuses a database that could lose or round IDs.
   *
   * @throws MissingSubscriberError, UnknownInstanceError, LossyDriverError, ColumnTypeError
   */
  verify(): Promise<void>;
}

/** Returns the database that a provider of the app is; undefined if it is something else. */
export type DatabaseAdapter = (provider: object) => AppDatabase | undefined;

const ADAPTERS = 'database adapters';
const adapters = sharedInProcess(ADAPTERS, () => new Set<DatabaseAdapter>());

/**
 * Adds the adapter of an ORM. This is the only way in which the Nest modules find databases:
 *
 * 1. A decorator or schema helper that declares an ID column adds its adapter, as TypeORM's own decorators fill
 *    `getMetadataArgsStorage()`. An app without such a column never loads the ORM.
 * 2. While the app starts, `SnowflakeModule` and `SegmentModule` go through the providers of the app, such as the DataSources of
 *    `TypeOrmModule`, and ask each adapter whether the provider is a database.
 *
 * So an app needs no line besides `@SnowflakeId()` on an entity. `SeriesModule`, which serves TypeORM only, goes through the same
 * providers.
 */
export function addDatabaseAdapter(adapter: DatabaseAdapter): void {
  adapters.add(adapter);
}

/**
 * Returns the database that a provider of the app is, if an adapter recognizes it.
 *
 * @throws InvalidOptionError if only another version of the library recognizes it, because its ID columns would get no IDs
 */
export function databaseOf(provider: object): AppDatabase | undefined {
  for (const adapter of adapters) {
    const database = adapter(provider);
    if (database) return database;
  }
  refuseOtherVersions(provider);
  return undefined;
}

function refuseOtherVersions(provider: object): void {
  for (const { version, shared } of sharedByOtherVersions(ADAPTERS)) {
    for (const adapter of shared as Set<(provider: object) => object | undefined>)
      if (adapter(provider)) throw otherVersion(version, 'An ID column of the app');
  }
}

/** Returns the error for a column that another version of the library has declared. */
export function otherVersion(version: string, declared: string): InvalidOptionError {
  return new InvalidOptionError(
    declared,
    version,
    `is declared by version ${version} of nestjs-snowflake, and this process also runs ${VERSION}, which can't serve it`,
    'Install one version in the whole project. npm ls nestjs-snowflake, or its equivalent in your package manager, shows which package needs which version.',
  );
}
