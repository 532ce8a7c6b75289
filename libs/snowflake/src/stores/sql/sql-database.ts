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
  private found?: Promise<SqlDatabase>;

  constructor(
    private readonly settings: SqlSettings,
    private readonly alter: (dialect: SqlDialect) => SqlDialect,
  ) {}

  /** Waits for the app, so its callers bound it. @throws InvalidOptionError when leases cannot live there */
  find(): Promise<SqlDatabase> {
    if (this.found) return this.found;
    const found = this.ask().catch((error: unknown) => {
      if (this.found === found) this.found = undefined;
      throw error;
    });
    this.found = found;
    return found;
  }

  /** Has the next call ask again: the app may never answer the question that was put to it. */
  forget(): void {
    this.found = undefined;
  }

  private async ask(): Promise<SqlDatabase> {
    const { dataSource, namespace, tableName } = this.settings;
    const options = dataSourceOptions(typeof dataSource === 'function' ? await dataSource() : dataSource);
    requireSharedDatabase(options);
    const dialect = this.alter(dialectOf(options));
    return {
      tables: leaseTables(tableName, options, dialect),
      session: { dialect, options, connectionName: `snowflake:${namespace}` },
    };
  }
}
