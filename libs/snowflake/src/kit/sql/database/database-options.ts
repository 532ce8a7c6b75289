import { askApp } from '../../ask-app.js';

/**
 * The options of a database, in the form of TypeORM's DataSourceOptions. Typed structurally, so that no app needs
 * TypeORM. The fields are `unknown`, because TypeORM's drivers give the same names different types.
 */
export interface DatabaseOptions {
  /** `postgres`, `mysql`, `mariadb` or `better-sqlite3`. */
  readonly type: string;
  readonly url?: unknown;
  readonly host?: unknown;
  readonly port?: unknown;
  readonly username?: unknown;
  readonly password?: unknown;
  /** The name of the database, or the file of SQLite. */
  readonly database?: unknown;
  /** The schema of the tables, in PostgreSQL. */
  readonly schema?: string;
  readonly socketPath?: unknown;
  readonly ssl?: unknown;
  readonly charset?: unknown;
  readonly flags?: unknown;
  readonly nativeBinding?: unknown;
  readonly key?: unknown;
  readonly enableWAL?: unknown;
  /** Where TypeORM writes and reads. The store uses the `master`. */
  readonly replication?: unknown;
  /** The package of the driver itself, such as `libsql`, instead of the one that its type names. */
  readonly driver?: unknown;
  /**
   * Options that are passed to the driver unchanged. They override the others, except that pg prefers what its URL
   * contains.
   */
  readonly extra?: unknown;
}

/** A TypeORM DataSource, as far as a store reads it. It need not be initialized. */
export interface DataSourceLike {
  readonly options: DatabaseOptions;
  initialize(): unknown;
}

/** A database: a TypeORM DataSource or its options. */
export type SqlDataSource = DataSourceLike | DatabaseOptions;

/** Where a client connects to, and as whom. */
export interface DatabaseAddress {
  readonly url?: string;
  readonly host?: string;
  readonly port?: number;
  readonly username?: string;
  readonly password?: string | (() => string | Promise<string>);
  readonly database?: string;
  readonly socketPath?: string;
  readonly ssl?: unknown;
}

const ADDRESS = ['url', 'host', 'port', 'username', 'password', 'database', 'socketPath'] as const;

/** Returns the master of a replication, and otherwise the options themselves. */
export function addressOf(options: DatabaseOptions): DatabaseAddress {
  const source = masterOf(options) ?? (options as DatabaseAddress);
  const { password } = source;
  const own = Object.fromEntries(ADDRESS.map((name) => [name, source[name]]));
  return {
    ssl: sslOf(options),
    ...own,
    ...(typeof password === 'function' && { password: () => askApp('password', password) }),
  };
}

/**
 * TypeORM reads `ssl` from the master on PostgreSQL, and next to the replication on MySQL and MariaDB. If it is missing there, the
 * other one counts, which TypeORM ignores: options that ask for TLS anywhere never connect without it.
 */
function sslOf(options: DatabaseOptions): unknown {
  const places = [masterOf(options)?.ssl, options.ssl];
  const [first, second] = options.type === 'postgres' ? places : places.reverse();
  return first ?? second;
}

/** Returns the master of a replication, to which all writes go. */
export function masterOf({ replication }: DatabaseOptions): DatabaseAddress | undefined {
  if (typeof replication !== 'object' || replication === null || !('master' in replication)) return undefined;
  return replication.master as DatabaseAddress;
}
