import { SnowflakeError } from './snowflake-error.js';

/** `SnowflakeModule` was registered twice under one name: each registration would hold a lease of its own. */
export class DuplicateInstanceError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_DUPLICATE_INSTANCE';

  constructor(readonly instanceName: string) {
    super(
      `SnowflakeModule is registered twice under the name '${instanceName}'. Register it once, in the root module, ` +
        `or give the second one a name of its own: forRoot({ name: '…' }).`,
    );
  }
}

/** An entity asks for IDs of a named instance that does not exist. */
export class UnknownInstanceError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_UNKNOWN_INSTANCE';

  constructor(
    readonly instanceName: string,
    readonly usedBy: string,
  ) {
    super(
      `${usedBy} wants IDs of the Snowflake instance '${instanceName}', which is not registered. ` +
        `Add SnowflakeModule.forRoot({ name: '${instanceName}', … }) or correct the name.`,
    );
  }
}

/** A row would get no ID, because nothing attached an ID source to its DataSource. */
export class MissingSubscriberError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_MISSING_SUBSCRIBER';

  constructor(readonly column: string) {
    super(
      `${column} is a @SnowflakeId() column, but nothing assigns its IDs: the DataSource has no Snowflake subscriber, or ` +
        `no source of IDs is attached to it. Import SnowflakeModule into the app and initialize it (await app.init()), ` +
        `list snowflakeSubscriber(ids) in the DataSource's subscribers (also for writes while the app boots), or call ` +
        `attachSnowflake(dataSource, ids).`,
    );
  }
}

/** A database driver returns 64-bit integers rounded to a JavaScript number. */
export class LossyDriverError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_LOSSY_DRIVER';

  constructor(
    readonly driver: string,
    readonly returned: string,
    readonly remedy: string,
  ) {
    super(
      `The ${driver} driver returned ${returned} for 9007199254740993: it rounds 64-bit IDs, so distinct rows would ` +
        `become one. ${remedy}`,
    );
  }
}

/** A column as it is in the database. */
export interface ColumnInDatabase {
  /** Name of the table, with its schema where the entity names one. */
  readonly table: string;
  readonly column: string;
  /** Type as the database writes it, e.g. `integer`. */
  readonly type: string;
}

const GUIDE = 'docs/guides/migrating-from-auto-increment.md';

/** A Snowflake column has a type in the database that can't hold every 63-bit ID. */
export class ColumnTypeError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_COLUMN_TYPE';

  /** @param columns every such column of the DataSource */
  constructor(readonly columns: readonly ColumnInDatabase[]) {
    super(
      `${columns.map(({ table, column, type }) => `${table}.${column} is ${type}`).join(', ')} in the database, which ` +
        `can't hold every 63-bit ID exactly. Migrate to bigint before the app starts: ${GUIDE}.`,
    );
  }
}

/** `synchronize: true` would drop a column that holds IDs, and its values with it. Nothing was changed. */
export class ColumnDropError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_COLUMN_DROP';

  constructor(
    readonly table: string,
    readonly column: string,
  ) {
    super(
      `synchronize would drop ${table}.${column} and add it anew, and the table has rows: their IDs would be lost. ` +
        `Nothing was changed. Set synchronize: false and widen the column in a migration: ${GUIDE}.`,
    );
  }
}
