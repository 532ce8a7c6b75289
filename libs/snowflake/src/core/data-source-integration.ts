import type { IdSource } from './id-source.js';

/** The instance that IDs come from unless a column names another one. */
export const DEFAULT_INSTANCE = 'default';

/**
 * Key of the metadata (`Reflect.getMetadata`) under which a database adapter leaves its {@link DataSourceIntegration}
 * on every entity class, entity schema and subscriber class that it has declared columns for. A framework adapter
 * finds it there, through the data sources of its app: it needs no registry, and an app without TypeORM never loads
 * the TypeORM adapter.
 */
export const DATA_SOURCE_INTEGRATION = 'nestjs-snowflake:data-source-integration';

/** The port through which a framework adapter reaches the databases of an app without knowing their library. */
export interface DataSourceIntegration {
  /**
   * Lets the data source take the IDs of the named instance from `source`. Calling it again for the same name
   * replaces the source.
   */
  attach(dataSource: object, instance: string, source: IdSource): void;

  /**
   * Refuses a data source that could lose or round IDs.
   *
   * @param knownInstances every name that is registered in the app, attached to this data source or not
   * @throws MissingSubscriberError, UnknownInstanceError, LossyDriverError, ColumnTypeError
   */
  verify(dataSource: object, knownInstances: ReadonlySet<string>): Promise<void>;
}
