import type { IdSource } from '../core/index.js';

/**
 * Sources belong to a DataSource and not to the subscriber class that stands in its options: an options object may
 * be shared by several DataSources, or outlive the app whose sources these are.
 */
const attached = new WeakMap<object, Map<string, IdSource>>();

/** The sources that were attached to a DataSource, by name of the generator. */
export function attachedSources(dataSource: object): ReadonlyMap<string, IdSource> {
  return attached.get(dataSource) ?? NONE;
}

export function rememberSource(dataSource: object, generator: string, source: IdSource): void {
  const sources = attached.get(dataSource) ?? new Map<string, IdSource>();
  attached.set(dataSource, sources.set(generator, source));
}

const NONE: ReadonlyMap<string, IdSource> = new Map();
