import { requireBoolean, requireOptions } from '../../core/options/option-checks.js';
import { requireNamespace } from '../namespace.js';
import { chosenDatabase, type SqlDatabaseSource } from '../../kit/sql/database-choice.js';
import { LEASE_TABLES } from './lease-tables.js';

/** Options of `sqlLeaseStore`. */
export interface SqlLeaseStoreOptions {
  /**
   * Where the database is, or a function that returns it, such as one that fetches a password.
   * Bounds: `postgres://`, `mysql://`, `mariadb://`, or `sqlite:` and a file on a local disk.
   *
   * The store makes its own connection with the package of the driver: `pg`, `mysql2`, or `better-sqlite3`, `libsql` or Node's own
   * `node:sqlite`. No transaction of the app can contain or delay a lease. It calls a function when it first connects, and again
   * after calls without an answer.
   *
   * @defaultValue none
   */
  readonly url?: string | (() => string | Promise<string>);

  /**
   * Options of the driver itself that `url` can't express, such as TLS, a Unix socket or the connector of a cloud proxy.
   *
   * They are those of `pg.Client`, or of `createConnection` of mysql2.
   *
   * @defaultValue none
   */
  readonly driverOptions?: object;

  /**
   * Schema of the tables in PostgreSQL, with `url`.
   *
   * @defaultValue the search path of the user
   */
  readonly schema?: string;

  /**
   * The database as a TypeORM DataSource, its options, or a function that returns either, instead of `url`.
   * Bounds: type `postgres`, `mysql`, `mariadb` or `better-sqlite3`.
   *
   * The store only reads the options: the DataSource need not be initialized.
   *
   * @defaultValue none
   */
  readonly dataSource?: SqlDatabaseSource;

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

/** Checked options, with the defaults filled in and the database found. */
export interface SqlSettings extends Required<
  Omit<SqlLeaseStoreOptions, 'url' | 'driverOptions' | 'schema'>
> {
  /** Whether the app gave a DataSource, which may also hold its entities. */
  readonly hasDataSource: boolean;
}

const SQL_OPTIONS = {
  url: true,
  driverOptions: true,
  schema: true,
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
  const { namespace, tableName, createTable = false, assumeNoLostWrites = false } = options;
  return {
    dataSource: chosenDatabase(options),
    hasDataSource: options.dataSource !== undefined,
    namespace: requireNamespace(namespace),
    tableName: LEASE_TABLES.requireName(tableName),
    createTable: requireBoolean('createTable', createTable),
    assumeNoLostWrites: requireBoolean('assumeNoLostWrites', assumeNoLostWrites),
  };
}
