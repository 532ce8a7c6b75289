import type { IdSource } from './id-source.js';

/** The instance that IDs come from unless a column names another one. */
export const DEFAULT_GENERATOR = 'default';

/**
 * The port through which a framework adapter reaches the databases of an app without knowing their library, so that
 * an app without TypeORM never loads it.
 */
export interface DataSourceIntegration {
  /** Whether this integration can serve the object: for TypeORM, whether it is a DataSource. */
  claims(candidate: unknown): boolean;

  /**
   * Lets the data source take the IDs of the named generator from `source`. Calling it again for the same name
   * replaces the source.
   */
  attach(dataSource: object, generator: string, source: IdSource): void;

  /**
   * Refuses a data source that could lose or round IDs.
   *
   * @param knownGenerators every name that is registered in the app, attached to this data source or not
   * @throws MissingSubscriberError, UnknownInstanceError, LossyDriverError
   */
  verify(dataSource: object, knownGenerators: ReadonlySet<string>): Promise<void>;
}

const registered = new Set<DataSourceIntegration>();

/** Makes an integration known to the framework adapters. Harmless when it is known already. */
export function registerDataSourceIntegration(integration: DataSourceIntegration): void {
  registered.add(integration);
}

/** Every integration that an entity of this process has asked for. */
export function dataSourceIntegrations(): Iterable<DataSourceIntegration> {
  return registered.values();
}
