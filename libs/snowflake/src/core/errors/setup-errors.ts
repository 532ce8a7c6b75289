import type { IdSourceName } from '../ids/id-source-name.js';
import { seeDocs } from '../see-docs.js';
import { SnowflakeError } from './snowflake-error.js';

/**
 * `SnowflakeModule` is registered twice under one name, and each registration would hold its own lease.
 *
 * Register it once, in the root module, or give the second registration a name.
 */
export class DuplicateInstanceError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_DUPLICATE_INSTANCE';

  constructor(readonly instanceName: string) {
    super(
      `SnowflakeModule is registered twice under the name '${instanceName}'. Register it once, in the root module, ` +
        `or give the second registration another name: forRoot({ name: '…' }).`,
    );
  }
}

/**
 * An entity names an instance, or a tag of segments, that is not registered.
 *
 * Register it, or correct the name.
 */
export class UnknownInstanceError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_UNKNOWN_INSTANCE';
  /** Name of the instance, or the tag. */
  readonly instanceName: string;

  constructor(
    { kind, name }: IdSourceName,
    readonly usedBy: string,
  ) {
    super(
      kind === 'maker'
        ? `${usedBy} uses the Snowflake instance '${name}', which is not registered. ` +
            `Add SnowflakeModule.forRoot({ name: '${name}', … }) or correct the name.`
        : `${usedBy} uses the tag '${name}', which is not registered. Import SegmentModule, and list the tag in its ` +
            `forRoot() or forRootAsync(): { tags: ['${name}'], … }. Or correct the name.`,
    );
    this.instanceName = name;
  }
}

/**
 * The app requested an ID from a `LateIdMaker` that is not bound to an ID maker yet.
 *
 * Call `bind(ids)` while the app starts.
 */
export class UnboundMakerError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_UNBOUND_MAKER';

  constructor() {
    super(
      'The app requested an ID from a LateIdMaker that is not bound to an ID maker yet. Call its bind(ids) while the app starts, for ' +
        'example in the constructor of a module.',
    );
  }
}

/**
 * A column would get no IDs, because its DataSource has no Snowflake subscriber or no attached ID source.
 *
 * Import `SnowflakeModule`, or call `attachSnowflake(dataSource, ids)`.
 */
export class MissingSubscriberError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_MISSING_SUBSCRIBER';

  constructor(readonly column: string) {
    super(
      `${column} is a @SnowflakeId() column, but nothing assigns its IDs: the DataSource has no Snowflake subscriber, or ` +
        `no ID source is attached to it. In a Nest app, import SnowflakeModule, and initialize the app (await app.init()). For a ` +
        `DataSource that you create yourself, and for writes while the app starts, add this line to its options: ` +
        `subscribers: [snowflakeSubscriber(ids)], or call attachSnowflake(dataSource, ids).`,
    );
  }
}

/**
 * The database driver rounds 64-bit integers, so different IDs would become equal.
 *
 * Change the driver's setting as the message says.
 */
export class LossyDriverError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_LOSSY_DRIVER';

  constructor(
    readonly driver: string,
    readonly returned: string,
    readonly remedy: string,
  ) {
    super(
      `The ${driver} driver returned ${returned} for 9007199254740993: it rounds 64-bit IDs, so different IDs would ` +
        `become equal. ${remedy}`,
    );
  }
}

/** A column as it is in the database. */
export interface ColumnInDatabase {
  /** Name of the table, with its schema if the entity names one. */
  readonly table: string;
  readonly column: string;
  /** Type as the database names it, e.g. `integer`. */
  readonly type: string;
}

const GUIDE = seeDocs('guides/migrating-from-auto-increment');

/**
 * The type of a Snowflake column in the database, such as `int`, can't hold every 63-bit ID.
 *
 * Migrate the column to `bigint` before the app starts.
 */
export class ColumnTypeError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_COLUMN_TYPE';

  /** @param columns every such column of the DataSource */
  constructor(readonly columns: readonly ColumnInDatabase[]) {
    super(
      `${columns.map(({ table, column, type }) => `${table}.${column} is ${type}`).join(', ')} in the database, which ` +
        `can't hold every 63-bit ID exactly. Migrate to bigint before the app starts. ${GUIDE}`,
    );
  }
}

/**
 * `synchronize: true` would drop a column that holds the IDs or the series numbers of existing rows. Nothing was changed.
 *
 * Set `synchronize: false`, and write the migration of the column yourself, because a generated one drops the column as well.
 */
export class ColumnDropError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_COLUMN_DROP';

  constructor(
    readonly table: string,
    readonly column: string,
    /** The present name of the column, if TypeORM would rename it first. */
    readonly presentName?: string,
  ) {
    const change =
      presentName === undefined
        ? `drop and recreate ${table}.${column}, which would delete its values in all rows`
        : `rename ${table}.${presentName} to ${column}, then drop and recreate it, which would delete its values`;
    super(
      `synchronize would ${change}. Nothing was changed. Set synchronize: false, and change the column in a migration that you write yourself, ` +
        `because a generated one drops the column as well. ${seeDocs('stores/sql', 'Migrations')}`,
    );
  }
}
