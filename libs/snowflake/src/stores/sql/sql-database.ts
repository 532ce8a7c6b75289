import type { DataSourceOptions } from 'typeorm';
import { type Credentials, credentialsIn, NO_CREDENTIALS } from '../credentials.js';
import { dialectOf, requireSharedDatabase } from './dialects.js';
import { leaseTables, type LeaseTables } from './lease-tables.js';
import type { SqlDialect } from './sql-dialect.js';
import { dataSourceOptions, type SqlSettings } from './sql-options.js';
import type { SessionSettings } from './sql-session.js';

/** The database of a store, and how to connect to it. */
export interface SqlDatabase {
  readonly tables: LeaseTables;
  readonly session: Omit<SessionSettings, 'callTimeoutMs'>;
}

/** Asks the app for the database: once for all calls, and again after it has failed to tell, or when told to. */
export class DatabaseFinder {
  /** Hidden from whoever prints the store: all of these hold the password. */
  readonly #settings: SqlSettings;
  #found?: Promise<SqlDatabase>;
  #options?: DataSourceOptions;

  constructor(
    settings: SqlSettings,
    private readonly alter: (dialect: SqlDialect) => SqlDialect,
  ) {
    this.#settings = settings;
  }

  /** Of the database that was found last; found anew, since an app may change its options. */
  credentials(): Credentials {
    return this.#options ? credentialsOf(this.#options) : NO_CREDENTIALS;
  }

  /** Waits for the app, so its callers bound it. @throws InvalidOptionError when leases cannot live there */
  find(): Promise<SqlDatabase> {
    if (this.#found) return this.#found;
    const found = this.ask().catch((error: unknown) => {
      if (this.#found === found) this.#found = undefined;
      throw error;
    });
    this.#found = found;
    return found;
  }

  /** Has the next call ask again: the app may never answer the question that was put to it. */
  forget(): void {
    this.#found = undefined;
  }

  private async ask(): Promise<SqlDatabase> {
    const { dataSource, namespace, tableName } = this.#settings;
    const options = dataSourceOptions(typeof dataSource === 'function' ? await dataSource() : dataSource);
    this.#options = options;
    requireSharedDatabase(options);
    const dialect = this.alter(dialectOf(options));
    return {
      tables: leaseTables(tableName, options, dialect),
      session: { dialect, options, connectionName: `snowflake:${namespace}` },
    };
  }
}

/** The user that TypeORM takes comes first: that of the master, and before the option that of the URL. */
function credentialsOf(options: DataSourceOptions): Credentials {
  const replication: unknown = 'replication' in options ? options.replication : undefined;
  const url: unknown = 'url' in options ? options.url : undefined;
  return credentialsIn(replication, url, options);
}
