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

/** A row would be inserted without an ID, because nothing attached the subscriber to its DataSource. */
export class MissingSubscriberError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_MISSING_SUBSCRIBER';

  constructor(readonly column: string) {
    super(
      `${column} is a @SnowflakeId() column, but no Snowflake subscriber assigned it a value. Import SnowflakeModule into ` +
        `the app and initialize it (await app.init()), list snowflakeSubscriber(ids) in the DataSource's subscribers ` +
        `(also for writes while the app boots), or call attachSnowflake(dataSource, ids); for writes that TypeORM runs ` +
        `without subscribers, set the ID yourself with ids.nextId().`,
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
