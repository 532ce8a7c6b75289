import type { IdSource } from './ids/id-source.js';

/** Name of the instance that issues a column's IDs unless the column names another one. */
export const DEFAULT_INSTANCE = 'default';

/** Precedes the tag in the name of an instance that issues numbers from segments. No other instance can have such a name. */
export const SEGMENT_INSTANCE = 'segment:';

/**
 * Metadata key (`Reflect.getMetadata`) under which a database adapter stores its {@link DataSourceIntegration} on every
 * entity class, entity schema and subscriber class that it declares columns for. A framework adapter finds it there
 * through the app's data sources, so it needs no registry, and an app without TypeORM never loads the TypeORM adapter.
 */
export const DATA_SOURCE_INTEGRATION = 'nestjs-snowflake:data-source-integration';

/** The port through which a framework adapter reaches an app's databases without depending on their library. */
export interface DataSourceIntegration {
  /**
   * Makes the data source take the IDs of the named instance from `source`. A second call for the same name replaces
   * the source.
   */
  attach(dataSource: object, instance: string, source: IdSource): void;

  /**
   * Throws if the data source could lose or round IDs.
   *
   * @param knownInstances all instance names registered in the app, including those not attached to this data source
   * @throws MissingSubscriberError, UnknownInstanceError, LossyDriverError, ColumnTypeError
   */
  verify(dataSource: object, knownInstances: ReadonlySet<string>): Promise<void>;
}
