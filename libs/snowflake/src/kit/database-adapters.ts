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

const adapters = new Set<DatabaseAdapter>();

/**
 * Adds the adapter of an ORM. This is the only way in which the Nest modules find databases:
 *
 * 1. A decorator or schema helper that declares an ID column adds its adapter, as TypeORM's own decorators fill
 *    `getMetadataArgsStorage()`. An app without such a column never loads the ORM.
 * 2. While the app boots, `SnowflakeModule` and `SegmentModule` go through the providers of the app, such as the DataSources of
 *    `TypeOrmModule`, and ask each adapter whether the provider is a database.
 *
 * So an app needs no line besides `@SnowflakeId()` on an entity. `SeriesModule`, which serves TypeORM only, goes through the same
 * providers.
 */
export function addDatabaseAdapter(adapter: DatabaseAdapter): void {
  adapters.add(adapter);
}

/** Returns the database that a provider of the app is, if an adapter recognizes it. */
export function databaseOf(provider: object): AppDatabase | undefined {
  for (const adapter of adapters) {
    const database = adapter(provider);
    if (database) return database;
  }
  return undefined;
}
