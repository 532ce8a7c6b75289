import { type DatabaseOptions, masterOf } from './database-options.js';
import { type Credentials, credentialsIn, NO_CREDENTIALS } from '../../credentials.js';
import { requireSharedDatabase, type SqlMechanisms } from '../dialects/dialects.js';
import type { SqlContent } from '../content.js';
import { dataSourceOptions } from './database-choice.js';
import type { SessionSettings } from '../session.js';
import type { SqlPlace } from '../tables/tables.js';

/** The database of a store, and how to connect to it. */
export interface SqlDatabase<Name extends string> {
  readonly place: SqlPlace<Name>;
  readonly session: Omit<SessionSettings, 'callTimeoutMs'>;
}

/** Asks the app for the database: once for all calls, and again after a failure or {@link forget}. */
export class DatabaseFinder<Name extends string> {
  /** Is private, so that printing the store does not show the password. */
  readonly #content: SqlContent<Name, unknown>;
  #found?: Promise<SqlDatabase<Name>>;
  #options?: DatabaseOptions;

  constructor(
    content: SqlContent<Name, unknown>,
    private readonly mechanisms: SqlMechanisms,
  ) {
    this.#content = content;
  }

  /** Returns the credentials of the latest database. Reads them each time, because an app may change its options. */
  credentials(): Credentials {
    return this.#options ? credentialsOf(this.#options) : NO_CREDENTIALS;
  }

  /** Waits for the app, so callers must bound it. @throws InvalidOptionError if the database cannot hold the tables */
  find(): Promise<SqlDatabase<Name>> {
    if (this.#found) return this.#found;
    const found = this.ask().catch((error: unknown) => {
      if (this.#found === found) this.#found = undefined;
      throw error;
    });
    this.#found = found;
    return found;
  }

  /** Makes the next call ask again, because the app may never answer the present request. */
  forget(): void {
    this.#found = undefined;
  }

  private async ask(): Promise<SqlDatabase<Name>> {
    const { dataSource, connectionName, tables, tableName } = this.#content;
    const options = dataSourceOptions(typeof dataSource === 'function' ? await dataSource() : dataSource);
    this.#options = options;
    requireSharedDatabase(options, tables.use);
    const dialect = this.mechanisms.dialectOf(options, tables.use);
    return {
      place: tables.in(options, tableName, dialect),
      session: { dialect, options, connectionName },
    };
  }
}

/** Orders the users as TypeORM does: that of the master, then that of the URL, then the option. */
function credentialsOf(options: DatabaseOptions): Credentials {
  return credentialsIn(masterOf(options), options.url, options);
}
