import {
  InvalidOptionError,
  requireBoolean,
  requireChoice,
  requireOptions,
  requireWholeNumber,
} from '../../core/index.js';
import { chosenDatabase, type SqlDatabaseSource } from '../../kit/sql/database-choice.js';
import { requireDataSource } from '../../kit/sql/given-database.js';
import { SEGMENT_TABLES } from './segment-tables.js';

/** What a segment store does when the database may have lost claims. */
export type PossibleLoss = 'refuse' | 'refuseRestarts' | 'ignore';

/** Options of `sqlSegmentStore`. */
export interface SqlSegmentStoreOptions {
  /**
   * Where the database is, or a function that returns it, such as one that fetches a password.
   * Bounds: `postgres://`, `mysql://`, `mariadb://`, or `sqlite:` and a file on a local disk.
   *
   * The store makes its own connection with the package of the driver: `pg`, `mysql2`, or `better-sqlite3`, `libsql` or Node's own
   * `node:sqlite`. No transaction of the app can contain or delay a claim. It calls a function when it first connects, and again
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
   * Several databases instead of one. Each one serves its own residue of the numbers, and any of them may be down.
   * Bounds: 1 to `stride` databases, each in its own place of the array.
   *
   * Add a database at the end. Never change the order, and remove only the last. A database in the place of another one grants
   * no number until an operator has called `resume`.
   *
   * @defaultValue none
   */
  readonly dataSources?: readonly SqlDatabaseSource[];

  /**
   * The distance of two numbers of one database, with `dataSources`.
   * Bounds: 1 to 1,000. It never changes once a tag exists.
   *
   * @defaultValue `1`
   */
  readonly stride?: number;

  /**
   * Name of the table of counters. Two more tables, `<tableName>_state` and `<tableName>_claim`, lie beside it.
   * Bounds: 1 to 40 letters, digits and `_`, no digit first.
   *
   * The table has the columns of Leaf's, so `'leaf_alloc'` continues the counters of Leaf.
   *
   * @defaultValue `'snowflake_segment'`
   */
  readonly tableName?: string;

  /**
   * Whether the store creates missing tables when it first connects.
   *
   * If `false`, run the migration `CreateSnowflakeSegmentTables1767225600002`.
   *
   * @defaultValue `false`
   */
  readonly createTable?: boolean;

  /**
   * Asserts that this database never loses an acknowledged commit.
   *
   * The assertion excludes a failover to a replica that missed a commit, and a backup or snapshot that is restored. The store
   * then reads no history ID and detects no loss: if the assertion is wrong, numbers repeat. Use it for databases that do not
   * show their history, such as Amazon Aurora within one region. If `false`, the store refuses such a database. If `true`, it
   * refuses a server whose settings refute the assertion, such as `fsync = off` or `innodb_flush_log_at_trx_commit = 0`.
   *
   * @defaultValue `false`
   */
  readonly assumeNoLostWrites?: boolean;

  /**
   * What the store does when the database may have lost claims.
   * Bounds: `'refuse'`, `'refuseRestarts'` or `'ignore'`.
   *
   * `'refuse'` ends all claims until an operator has called `resume` if the server is another one, took over from another one, or
   * has tables from a dump. Claims go on after a restart, unless the server can lose commits in a crash: the store asks for
   * `fsync` and `full_page_writes` (PostgreSQL), or `innodb_flush_log_at_trx_commit`, `innodb_flush_method` and, with a binary log,
   * `sync_binlog` (MySQL, MariaDB). Older files or a volume snapshot of the same server look like a restart, so call
   * `resume` after each restore. `'refuseRestarts'` also refuses after every restart, which detects these. `'ignore'` detects
   * nothing, so numbers repeat after a loss: use it only in development.
   *
   * @defaultValue `'refuse'`
   */
  readonly possibleLoss?: PossibleLoss;
}

/** Checked options, with the defaults filled in. */
export interface SqlSegmentSettings {
  readonly databases: readonly SqlDatabaseSource[];
  readonly stride: number;
  readonly tableName: string;
  readonly createTable: boolean;
  readonly assumeNoLostWrites: boolean;
  readonly possibleLoss: PossibleLoss;
}

const OPTIONS = {
  url: true,
  driverOptions: true,
  schema: true,
  dataSource: true,
  dataSources: true,
  stride: true,
  tableName: true,
  createTable: true,
  assumeNoLostWrites: true,
  possibleLoss: true,
} satisfies Record<keyof SqlSegmentStoreOptions, true>;

const MAX_STRIDE = 1000;
const POSSIBLE_LOSSES = ['refuse', 'refuseRestarts', 'ignore'] as const satisfies readonly PossibleLoss[];

/**
 * Refuses options that cannot work, and fills in the defaults.
 *
 * @throws InvalidOptionError that names the option, its value and the remedy
 */
export function checkSegmentOptions(options: SqlSegmentStoreOptions): SqlSegmentSettings {
  requireOptions('options', options, OPTIONS);
  const { stride = 1, tableName, createTable = false } = options;
  const { assumeNoLostWrites = false, possibleLoss = 'refuse' } = options;
  requireWholeNumber('stride', stride, 1, MAX_STRIDE);
  return {
    databases: databasesOf(options, stride),
    stride,
    tableName: SEGMENT_TABLES.requireName(tableName),
    createTable: requireBoolean('createTable', createTable),
    assumeNoLostWrites: requireBoolean('assumeNoLostWrites', assumeNoLostWrites),
    possibleLoss: requireChoice('possibleLoss', possibleLoss, POSSIBLE_LOSSES),
  };
}

function databasesOf(options: SqlSegmentStoreOptions, stride: number): readonly SqlDatabaseSource[] {
  const { dataSources, stride: given } = options;
  if (dataSources === undefined) {
    if (given !== undefined && stride !== 1) {
      const remedy = 'Pass the databases as an array: dataSources: [a, b, c].';
      throw new InvalidOptionError('stride', stride, 'needs dataSources', remedy);
    }
    return [chosenDatabase(options)];
  }
  for (const option of ['url', 'driverOptions', 'schema', 'dataSource'] as const) {
    if (options[option] === undefined) continue;
    throw new InvalidOptionError(
      'dataSources',
      '(an array)',
      `conflicts with ${option}`,
      'Remove one of the two.',
    );
  }
  if (!Array.isArray(dataSources) || dataSources.length < 1 || dataSources.length > stride) {
    throw new InvalidOptionError(
      'dataSources',
      Array.isArray(dataSources) ? `${dataSources.length} databases` : typeof dataSources,
      `must be an array of 1 to ${stride} databases`,
      'Pass one database for each residue in use, and a stride with room for more.',
    );
  }
  for (const each of dataSources as unknown[]) if (typeof each !== 'function') requireDataSource(each);
  return dataSources;
}
