import { InvalidOptionError } from '../../../core/errors/input-errors.js';
import { redact } from '../../../core/errors/show-value.js';
import { requireObject } from '../../../core/options/option-checks.js';
import { checkedBy, flag, type OptionRules, text, unchecked } from '../../../core/options/option-rule.js';
import { askApp } from '../../ask-app.js';
import { parsedServerUrl } from '../../server-url.js';
import { requireAddress } from './database-address.js';
import type { DatabaseOptions, SqlDataSource } from './database-options.js';
import { mysqlOptions, pgOptions, requireNoSchema } from './driver-options.js';

const SERVERS = { postgres: 'postgres', postgresql: 'postgres', mysql: 'mysql', mariadb: 'mariadb' } as const;
const SCHEME = /^([a-z][a-z\d-]*):/i;

/** A database, or a function of the app that returns it. */
export type SqlDatabaseSource = SqlDataSource | (() => SqlDataSource | Promise<SqlDataSource>);

/** The options of a store that choose its database, and say what is known about it. */
export interface SqlStoreOptions {
  /**
   * Address of the database, or a function that returns it.
   * Bounds: `postgres://`, `mysql://`, `mariadb://`, or `sqlite:` and a file on a local disk.
   *
   * The store opens its own connection, outside the app's transactions. It calls a function before each connection, so that a password can
   * change.
   *
   * @defaultValue none
   */
  readonly url?: string | (() => string | Promise<string>);

  /**
   * Options of `pg.Client`, or of mysql2's `createConnection()`, that `url` can't express: TLS, a Unix socket or a cloud connector.
   *
   * @defaultValue none
   */
  readonly driverOptions?: object;

  /**
   * Schema of the tables in PostgreSQL, with `url`.
   *
   * @defaultValue the user's search path
   */
  readonly schema?: string;

  /**
   * The database as a TypeORM DataSource, its options, or a function that returns either, instead of `url`.
   * Bounds: type `postgres`, `mysql`, `mariadb` or `better-sqlite3`.
   *
   * The store only reads the options, so the DataSource needn't be initialized.
   *
   * @defaultValue none
   */
  readonly dataSource?: SqlDatabaseSource;

  /**
   * Asserts that this database never loses an acknowledged commit.
   *
   * Use it for a database that doesn't show its history, such as Amazon Aurora within one region, which the store refuses otherwise. You
   * assert that no failover loses a commit, and that nobody restores a backup or a snapshot while processes run. If the assertion is wrong,
   * IDs or numbers repeat. The store still refuses settings that refute it, such as `fsync = off`.
   *
   * @defaultValue `false`
   */
  readonly assumeNoLostWrites?: boolean;
}

const DRIVER_REMEDY = 'Pass the options of pg.Client or of createConnection of mysql2.';

/** The rule of a database, or a function that returns it. Errors don't show it. */
export const DATABASE = checkedBy<SqlDatabaseSource>((option, value) =>
  typeof value === 'function'
    ? () => askApp(option, value as () => SqlDataSource)
    : requireDataSource(option, value),
);

/** {@link chosenDatabase} checks the URL, and that the others go with it. */
export const DATABASE_OPTIONS = {
  url: unchecked<SqlStoreOptions['url']>(),
  driverOptions: checkedBy((option, value) => requireObject(option, value, DRIVER_REMEDY)).optional(),
  schema: text(
    /^[^\0]{1,63}$/,
    'must be the name of a schema, of 1 to 63 characters',
    "Pass its name, such as 'app', or omit it for the default of the connection.",
  ).optional(),
  dataSource: DATABASE.optional(),
  assumeNoLostWrites: flag().or(false),
} satisfies OptionRules<SqlStoreOptions>;

/** Returns the database that checked options name. @throws InvalidOptionError if they name none, or two */
export function chosenDatabase({
  url,
  driverOptions,
  schema,
  dataSource,
}: Omit<SqlStoreOptions, 'assumeNoLostWrites'>): SqlDatabaseSource {
  if (dataSource !== undefined) {
    for (const [option, value] of Object.entries({ url, driverOptions, schema })) {
      if (value === undefined) continue;
      const remedy = option === 'url' ? 'Remove one of the two.' : 'Set it in the DataSource.';
      throw new InvalidOptionError(option, '(not shown)', 'conflicts with dataSource', remedy);
    }
    return dataSource;
  }
  const database = (given: unknown): SqlDataSource => ({
    ...databaseOfUrl(given, 'url', withoutUndefined(driverOptions), schema),
    ...(schema === undefined ? {} : { schema }),
  });
  return typeof url === 'function' ? async () => database(await askApp('url', url)) : database(url);
}

/** What an app leaves undefined must not replace what the URL names. */
function withoutUndefined(options: object = {}): object {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as object;
}

/**
 * Returns the database that a URL names.
 *
 * @param option the option as the user writes it
 * @param driverOptions what goes to the driver together with the URL
 * @param schema the schema of the tables, if an option names it
 * @throws InvalidOptionError if it names no supported database, or contradicts the driver options; it shows no part
 * of the URL
 */
export function databaseOfUrl(
  url: unknown,
  option: string,
  driverOptions: object = {},
  schema?: string,
): DatabaseOptions {
  const address = typeof url === 'string' ? url : '';
  const scheme = SCHEME.exec(address)?.[1]?.toLowerCase() ?? '';
  if (scheme === 'sqlite' || scheme === 'file') {
    return { type: 'better-sqlite3', database: address.slice(scheme.length + 1).replace(/^\/\//, '') };
  }
  const type = Object.hasOwn(SERVERS, scheme) ? SERVERS[scheme as keyof typeof SERVERS] : undefined;
  const parsed = parsedServerUrl(address) ?? parsedServerUrl(type === 'postgres' ? withHost(address) : '');
  if (type === undefined || parsed === undefined) {
    throw new InvalidOptionError(
      option,
      url === undefined || url === '' ? url : redact(url),
      url === undefined || url === '' ? 'is missing' : 'is not the URL of a database',
      'Use postgres://…, mysql://…, mariadb://… (percent-encode the password), or sqlite:FILE. ' +
        'Is an environment variable missing?',
    );
  }
  if (type === 'postgres' && schema === undefined) requireNoSchema(parsed.searchParams, option);
  return {
    type,
    url: address,
    extra:
      type === 'postgres'
        ? pgOptions(address, driverOptions)
        : mysqlOptions(parsed.searchParams, driverOptions, option),
  };
}

/** Only pg reads a URL without a host, such as that of a Unix socket: `postgres://user@/database?host=/folder`. */
function withHost(url: string): string {
  return url.replace('@/', '@host/');
}

/**
 * Returns the options of a database, given as a DataSource or as options.
 *
 * @throws InvalidOptionError if it is not a database, since a function of the app may return anything, or has no address
 */
export function dataSourceOptions(given: SqlDataSource): DatabaseOptions {
  requireDataSource('dataSource', given);
  const options = 'initialize' in given ? given.options : given;
  requireAddress(options);
  return options;
}

/** Returns `given` if it is a database. @throws InvalidOptionError */
function requireDataSource(option: string, given: unknown): SqlDataSource {
  if (typeof given === 'object' && given !== null) return given as SqlDataSource;
  throw new InvalidOptionError(
    option,
    redact(given),
    'is not a database',
    'Pass a TypeORM DataSource, its options, or a function that returns either.',
  );
}
