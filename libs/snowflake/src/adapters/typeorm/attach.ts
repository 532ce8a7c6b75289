import { EventSubscriber, InstanceChecker, type DataSource } from 'typeorm';
import { InvalidOptionError } from '../../core/errors/input-errors.js';
import type { IdSource } from '../../core/ids/id-source.js';
import type { IdSourceName } from '../../core/ids/id-source-name.js';
import { markSynchronized, rememberSource } from './attached-sources.js';
import { sourcesByName, type SnowflakeIdSources } from './id-sources.js';
import { SnowflakeSubscriber } from './snowflake-subscriber.js';

/**
 * Returns a subscriber class for `subscribers: [snowflakeSubscriber(ids)]` in the options of a DataSource. The sources must
 * exist before the DataSource, so no row can be inserted without one.
 *
 * Sources attached later do not replace its own sources; they are used for instances for which it has no source of its
 * own. TypeORM calls subscribers in the order of their decoration: a subscriber of the app runs before this one and
 * does not see the ID in its `beforeInsert`. With {@link SnowflakeSubscriber} it does.
 *
 * @throws InvalidOptionError if `ids` can't generate IDs
 * @example
 * ```ts
 * TypeOrmModule.forRootAsync({
 *   inject: [SnowflakeIdMaker],
 *   useFactory: (ids: SnowflakeIdMaker) => ({ ...database, subscribers: [snowflakeSubscriber(ids)] }),
 * })
 * ```
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
 * Makes a DataSource take its IDs from `ids`. Call it before or after the DataSource is initialized; `destroy()` and
 * `initialize()` do not undo it. A Nest app doesn't need to call it: `SnowflakeModule` attaches itself to every DataSource.
 * Attaching again replaces the sources of the same names and never adds a second subscriber.
 *
 * @throws InvalidOptionError if `ids` can't generate IDs
 * @example
 * ```ts
 * const dataSource = new DataSource({ type: 'postgres', url: process.env.DATABASE_URL, entities: [Order] });
 * attachSnowflake(dataSource, ids); // or { default: ids, audit: auditIds }
 * await dataSource.initialize();
 * ```
 */
export function attachSnowflake(dataSource: DataSource, ids: SnowflakeIdSources): void {
  requireDataSource(dataSource);
  for (const [name, source] of sourcesByName(ids)) attachSource(dataSource, { kind: 'maker', name }, source);
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

export function attachSource(dataSource: DataSource, name: IdSourceName, source: IdSource): void {
  rememberSource(dataSource, name, source);
  const listed = Object.values(dataSource.options.subscribers ?? {});
  if (!listed.some(isSubscriberClass)) {
    // initialize() builds its subscribers from this.
    dataSource.setOptions({ subscribers: [SnowflakeSubscriber, ...listed] });
  }
  if (dataSource.isInitialized && findSubscriber(dataSource) === undefined) {
    // The schema builder has run, so the next transaction is not its own.
    markSynchronized(dataSource);
    // It comes first, so that the app's own subscribers see the ID.
    dataSource.subscribers.unshift(new SnowflakeSubscriber());
  }
}

/** Returns the Snowflake subscriber of an initialized DataSource, however it was added. */
export function findSubscriber({ subscribers }: DataSource): SnowflakeSubscriber | undefined {
  return subscribers.find((subscriber) => subscriber instanceof SnowflakeSubscriber);
}

/** Resolves when the Snowflake IDs of a row are assigned: at once if the DataSource has no subscriber for them. */
export async function whenAssigned(dataSource: DataSource, row: object): Promise<void> {
  await findSubscriber(dataSource)?.assigned(row);
}

function isSubscriberClass(listed: unknown): boolean {
  return (
    listed === SnowflakeSubscriber ||
    (typeof listed === 'function' && listed.prototype instanceof SnowflakeSubscriber)
  );
}
