import { EventSubscriber, InstanceChecker, type DataSource } from 'typeorm';
import { InvalidOptionError, type IdSource } from '../core/index.js';
import { markSynchronized, rememberSource } from './attached-sources.js';
import { sourcesByName, type SnowflakeIdSources } from './id-sources.js';
import { SnowflakeSubscriber } from './snowflake-subscriber.js';

/**
 * Makes a subscriber class for `subscribers: [snowflakeSubscriber(ids)]` in the options of a DataSource. With it the
 * sources must exist before the DataSource, so that no row can be inserted without one:
 *
 * ```ts
 * TypeOrmModule.forRootAsync({
 *   inject: [SnowflakeIdMaker],
 *   useFactory: (ids: SnowflakeIdMaker) => ({ …, subscribers: [snowflakeSubscriber(ids)] }),
 * })
 * ```
 *
 * Sources attached later do not replace its own; they serve the instances that it does not know. TypeORM calls
 * subscribers in the order in which they were decorated: a subscriber of the app runs before this one and does not see
 * the ID in its `beforeInsert`, as it does with {@link SnowflakeSubscriber}.
 *
 * @throws InvalidOptionError when `ids` makes no IDs
 */
export function snowflakeSubscriber(ids: SnowflakeIdSources): new () => SnowflakeSubscriber {
  const sources = Object.fromEntries(sourcesByName(ids));
  @EventSubscriber()
  class StrictSnowflakeSubscriber extends SnowflakeSubscriber {
    constructor() {
      super(sources);
    }
  }
  return StrictSnowflakeSubscriber;
}

/**
 * Lets a DataSource take its IDs from `ids`, before or after it is initialized; `destroy()` and `initialize()` do not
 * undo it. A Nest app needs no call: `SnowflakeModule` attaches itself to every DataSource. Attaching again replaces
 * the sources of the same names and never adds a second subscriber.
 *
 * ```ts
 * attachSnowflake(dataSource, ids);
 * attachSnowflake(dataSource, { default: ids, audit: auditIds });
 * ```
 *
 * @throws InvalidOptionError when `ids` makes no IDs
 */
export function attachSnowflake(dataSource: DataSource, ids: SnowflakeIdSources): void {
  requireDataSource(dataSource);
  for (const [instance, source] of sourcesByName(ids)) attachSource(dataSource, instance, source);
}

/** @throws InvalidOptionError */
export function requireDataSource(dataSource: DataSource): void {
  if (InstanceChecker.isDataSource(dataSource)) return;
  throw new InvalidOptionError(
    'dataSource',
    dataSource,
    'is not a DataSource',
    'Pass a DataSource of TypeORM.',
  );
}

export function attachSource(dataSource: DataSource, instance: string, source: IdSource): void {
  rememberSource(dataSource, instance, source);
  const listed = Object.values(dataSource.options.subscribers ?? {});
  if (!listed.some(isSubscriberClass)) {
    // What initialize() builds its subscribers from.
    dataSource.setOptions({ subscribers: [SnowflakeSubscriber, ...listed] });
  }
  if (dataSource.isInitialized && findSubscriber(dataSource) === undefined) {
    // In front, so that the app's own subscribers see the ID.
    markSynchronized(dataSource);
    dataSource.subscribers.unshift(new SnowflakeSubscriber());
  }
}

/** Returns the Snowflake subscriber of an initialized DataSource, whichever way it came there. */
export function findSubscriber({ subscribers }: DataSource): SnowflakeSubscriber | undefined {
  return subscribers.find((subscriber) => subscriber instanceof SnowflakeSubscriber);
}

function isSubscriberClass(listed: unknown): boolean {
  return (
    listed === SnowflakeSubscriber ||
    (typeof listed === 'function' && listed.prototype instanceof SnowflakeSubscriber)
  );
}
