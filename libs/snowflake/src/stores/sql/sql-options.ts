import { InvalidOptionError } from '../../core/errors/index.js';
import { concealed } from '../../core/errors/show-value.js';
import { requireBoolean, requireOptions } from '../../core/options/option-checks.js';
import { requireNamespace } from '../namespace.js';
import { requireAddress } from './database-address.js';
import type { DatabaseOptions, SqlDataSource } from './database-options.js';
import { checkTableName, DEFAULT_TABLE_NAME } from './lease-tables.js';

/** Options of `sqlLeaseStore`. */
export interface SqlLeaseStoreOptions {
  /**
   * The database, as a TypeORM DataSource, its options, or a function that returns either.
   * Bounds: type `postgres`, `mysql`, `mariadb` or `better-sqlite3`.
   *
   * `better-sqlite3` needs the package better-sqlite3 or libsql, and a file on a local disk. The store calls a function when
   * it first connects, and again after calls without an answer. The store only reads the options and makes its own
   * connection: the DataSource need not be initialized, and no transaction of the app can contain or delay a lease.
   */
  readonly dataSource: SqlDataSource | (() => SqlDataSource | Promise<SqlDataSource>);

  /**
   * Name of the ID space. One table serves many namespaces.
   * Bounds: 1 to 128 characters of `A-Z a-z 0-9 _ . : -`.
   *
   * All processes whose IDs must differ use the same namespace and the same bit layout.
   */
  readonly namespace: string;

  /**
   * Name of the table of worker IDs. A second table, `<tableName>_namespace`, has a row per namespace.
   * Bounds: 1 to 40 letters, digits and `_`, no digit first.
   *
   * Both tables are in the `schema` of the DataSource.
   *
   * @defaultValue `'snowflake_lease'`
   */
  readonly tableName?: string;

  /**
   * Whether the store creates missing tables when it first connects.
   *
   * Processes that start at the same time may all do so. If `false`, run the migration
   * `CreateSnowflakeLeaseTables1767225600000`.
   *
   * @defaultValue `false`
   */
  readonly createTable?: boolean;

  /**
   * Asserts that this database never loses an acknowledged commit.
   *
   * The assertion excludes a failover to a replica that missed a commit, and a backup or snapshot that is restored while leases run.
   * The store then reads no history ID and detects no loss: if the assertion is wrong, IDs repeat. Use it for databases that
   * do not show their history, such as Amazon Aurora within one region. If `false`, the store refuses such a database. If `true`,
   * it refuses a server whose settings refute the assertion, such as `fsync = off` or `innodb_flush_log_at_trx_commit = 0`.
   *
   * @defaultValue `false`
   */
  readonly assumeNoLostWrites?: boolean;
}

/** Checked options, with the defaults filled in. */
export type SqlSettings = Required<SqlLeaseStoreOptions>;

const SQL_OPTIONS = {
  dataSource: true,
  namespace: true,
  tableName: true,
  createTable: true,
  assumeNoLostWrites: true,
} satisfies Record<keyof SqlLeaseStoreOptions, true>;

/**
 * Refuses options that cannot work, and fills in the defaults.
 *
 * @throws InvalidOptionError that names the option, its value and the remedy
 */
export function checkSqlOptions(options: SqlLeaseStoreOptions): SqlSettings {
  requireOptions('options', options, SQL_OPTIONS);
  const { dataSource, namespace, tableName = DEFAULT_TABLE_NAME, createTable = false } = options;
  const { assumeNoLostWrites = false } = options;
  if (typeof dataSource !== 'function') requireDataSource(dataSource);
  return {
    dataSource,
    namespace: requireNamespace(namespace),
    tableName: checkTableName(tableName),
    createTable: requireBoolean('createTable', createTable),
    assumeNoLostWrites: requireBoolean('assumeNoLostWrites', assumeNoLostWrites),
  };
}

/**
 * Returns the options of a database, given as a DataSource or as options.
 *
 * @throws InvalidOptionError if it is not a database, since a function of the app may return anything, or has no address
 */
export function dataSourceOptions(given: SqlDataSource): DatabaseOptions {
  requireDataSource(given);
  const options = 'initialize' in given ? given.options : given;
  requireAddress(options);
  return options;
}

/** Refuses what is not a database. @throws InvalidOptionError */
export function requireDataSource(given: unknown): void {
  if (typeof given === 'object' && given !== null) return;
  throw new InvalidOptionError(
    'dataSource',
    concealed(given),
    'is not a database',
    'Pass a TypeORM DataSource, its options, or a function that returns either.',
  );
}
