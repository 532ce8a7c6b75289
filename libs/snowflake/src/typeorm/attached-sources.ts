import type { DataSource } from 'typeorm';
import {
  MissingSubscriberError,
  SEGMENT_INSTANCE,
  UnknownInstanceError,
  type IdSource,
} from '../core/index.js';
import type { GeneratedColumn } from './snowflake-columns.js';

interface Attached {
  readonly sources: Map<string, IdSource>;
  /** The `entityMetadatas` whose schema is synchronized. Each `initialize()` makes new ones. */
  synchronized?: object;
}

/**
 * The sources by DataSource or subscriber. They don't belong to the subscriber class in the options: several DataSources can
 * share an options object, and it can outlive the app of these sources.
 */
const attached = new WeakMap<object, Attached>();

function attachedTo(owner: object): Attached {
  const known = attached.get(owner) ?? { sources: new Map<string, IdSource>() };
  attached.set(owner, known);
  return known;
}

/** Attaches a source to a DataSource or a subscriber. Replaces the source of the same instance. */
export function rememberSource(owner: object, instance: string, source: IdSource): void {
  attachedTo(owner).sources.set(instance, source);
}

/**
 * Returns the source of a column's IDs: the subscriber's own, or the one attached to the DataSource.
 *
 * @throws MissingSubscriberError, UnknownInstanceError
 */
export function sourceOf(
  subscriber: object,
  dataSource: DataSource,
  { instance, label }: Pick<GeneratedColumn, 'instance' | 'label'>,
): IdSource {
  const own = attached.get(subscriber)?.sources;
  const shared = attached.get(dataSource)?.sources;
  const source = own?.get(instance) ?? shared?.get(instance);
  if (source !== undefined) return source;
  const isTag = instance.startsWith(SEGMENT_INSTANCE);
  const isServed = isTag || [own, shared].some((sources) => sources !== undefined && sources.size > 0);
  throw isServed ? new UnknownInstanceError(instance, label) : new MissingSubscriberError(label);
}

/** Records that the schema of an initialized DataSource is synchronized. */
export function markSynchronized(dataSource: DataSource): void {
  attachedTo(dataSource).synchronized = dataSource.entityMetadatas;
}

export function isSynchronized(dataSource: DataSource): boolean {
  return attached.get(dataSource)?.synchronized === dataSource.entityMetadatas;
}
