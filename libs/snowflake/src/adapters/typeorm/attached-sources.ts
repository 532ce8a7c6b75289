import type { DataSource } from 'typeorm';
import { MissingSubscriberError, UnknownInstanceError } from '../../core/errors/setup-errors.js';
import { sharedInProcess } from '../../core/process-memory.js';
import type { IdSource } from '../../core/ids/id-source.js';
import type { IdSourceName } from '../../core/ids/id-source-name.js';
import type { GeneratedColumn } from './snowflake-columns.js';

interface Attached {
  readonly sources: Readonly<Record<IdSourceName['kind'], Map<string, IdSource>>>;
  /** The `entityMetadatas` whose schema is synchronized. Each `initialize()` makes new ones. */
  synchronized?: object;
}

/**
 * The sources by DataSource or subscriber. They don't belong to the subscriber class in the options: several DataSources can
 * share an options object, and it can outlive the app of these sources.
 */
const attached = sharedInProcess('attached sources of TypeORM', () => new WeakMap<object, Attached>());

function attachedTo(owner: object): Attached {
  const known = attached.get(owner) ?? { sources: { maker: new Map(), segment: new Map() } };
  attached.set(owner, known);
  return known;
}

/** Attaches a source to a DataSource or a subscriber. Replaces the source of the same kind and name. */
export function rememberSource(owner: object, { kind, name }: IdSourceName, source: IdSource): void {
  attachedTo(owner).sources[kind].set(name, source);
}

/**
 * Returns the source of a column's IDs: the subscriber's own, or the one attached to the DataSource.
 *
 * @throws MissingSubscriberError, UnknownInstanceError
 */
export function sourceOf(
  subscriber: object,
  dataSource: DataSource,
  { source: wanted, label }: Pick<GeneratedColumn, 'source' | 'label'>,
): IdSource {
  const { kind, name } = wanted;
  const own = attached.get(subscriber)?.sources;
  const shared = attached.get(dataSource)?.sources;
  const source = own?.[kind].get(name) ?? shared?.[kind].get(name);
  if (source !== undefined) return source;
  const all = [own, shared].flatMap((sources) => (sources ? Object.values(sources) : []));
  const isServed = kind === 'segment' || all.some(({ size }) => size > 0);
  throw isServed ? new UnknownInstanceError(wanted, label) : new MissingSubscriberError(label);
}

/** Records that the schema of an initialized DataSource is synchronized. */
export function markSynchronized(dataSource: DataSource): void {
  attachedTo(dataSource).synchronized = dataSource.entityMetadatas;
}

export function isSynchronized(dataSource: DataSource): boolean {
  return attached.get(dataSource)?.synchronized === dataSource.entityMetadatas;
}
