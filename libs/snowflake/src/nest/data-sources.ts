import type { ModulesContainer } from '@nestjs/core';
import {
  DATA_SOURCE_INTEGRATION,
  type DataSourceIntegration,
  type IdSource,
  requireMethods,
} from '../core/index.js';
import { instancesIn, registeredNames } from './instances.js';

/** The part of a TypeORM DataSource that is read here: where the classes and schemas are that an adapter marks. */
interface DataSourceLike {
  readonly options?: { readonly entities?: object; readonly subscribers?: object };
  readonly entityMetadatas: readonly { readonly columns: readonly { readonly target: unknown }[] }[];
}

/**
 * Attaches the maker of this name, or what a test provides instead, to every DataSource of the app.
 *
 * @throws InvalidOptionError if it can't serve entities
 */
export function attachToDataSources(modules: ModulesContainer, name: string, source: IdSource): void {
  for (const { dataSource, integration } of dataSourcesIn(modules)) {
    const remedy = 'In a test, override it with fakeIdMaker() of nestjs-snowflake/testing.';
    integration.attach(dataSource, name, requireMethods('ID maker', source, ['nextId', 'ready'], remedy));
  }
}

/**
 * Refuses an app that could lose or round IDs.
 *
 * @throws MissingSubscriberError, UnknownInstanceError, LossyDriverError, ColumnTypeError
 */
export async function verifyDataSources(modules: ModulesContainer): Promise<void> {
  const names = new Set(registeredNames(modules));
  for (const { dataSource, integration } of dataSourcesIn(modules)) {
    await integration.verify(dataSource, names);
  }
}

interface Integrated {
  readonly dataSource: object;
  readonly integration: DataSourceIntegration;
}

function dataSourcesIn(modules: ModulesContainer): Integrated[] {
  return [...instancesIn(modules)].flatMap((dataSource) => {
    if (!isDataSource(dataSource)) return [];
    const integration = integrationOf(dataSource);
    return integration === undefined ? [] : [{ dataSource, integration }];
  });
}

/** The adapter's decorators leave it as metadata, as Nest's own decorators do. */
function integrationOf(dataSource: DataSourceLike): DataSourceIntegration | undefined {
  const { options = {}, entityMetadatas } = dataSource;
  const targets = entityMetadatas.flatMap(({ columns }) => columns.map(({ target }) => target));
  const listed = [options.subscribers, options.entities].flatMap((each) => Object.values(each ?? {}));
  const marked = [...new Set([...listed, ...targets])].filter(isMarkable);
  const found: unknown = marked
    .map((each): unknown => Reflect.getMetadata(DATA_SOURCE_INTEGRATION, each))
    .find((integration) => integration !== undefined);
  return found as DataSourceIntegration | undefined;
}

function isDataSource(instance: object): instance is DataSourceLike {
  return 'entityMetadatas' in instance && Array.isArray(instance.entityMetadatas);
}

function isMarkable(target: unknown): target is object {
  return (typeof target === 'object' && target !== null) || typeof target === 'function';
}
