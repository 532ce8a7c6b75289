import { InvalidOptionError } from 'nestjs-snowflake/core';
import { requireBoolean, requireChoice, requireOptions, requireWholeNumber } from 'nestjs-snowflake/kit';
import {
  chosenDatabase,
  requireDataSource,
  type SqlDatabaseSource,
  type SqlStoreOptions,
} from 'nestjs-snowflake/kit-sql';
import { SEGMENT_TABLES } from './segment-tables.js';

/** What a segment store does when the database may have lost claims. */
export type PossibleLoss = 'refuse' | 'refuseRestarts' | 'ignore';

/** Options of `sqlSegmentStore`. */
export interface SqlSegmentStoreOptions extends SqlStoreOptions {
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
