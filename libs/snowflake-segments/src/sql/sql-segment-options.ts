import { InvalidOptionError } from 'nestjs-snowflake/core';
import {
  checkedOptions,
  flag,
  oneOf,
  type OptionRules,
  unchecked,
  wholeNumber,
} from 'nestjs-snowflake/internal/core/options/option-rule';
import {
  chosenDatabase,
  DATABASE,
  DATABASE_OPTIONS,
} from 'nestjs-snowflake/internal/kit/sql/database/database-choice';
import type { SqlDatabaseSource, SqlStoreOptions } from 'nestjs-snowflake/sql';
import { SEGMENT_TABLES } from './segment-tables.js';

/** What a segment store does when the database may have lost claims. */
export type PossibleLoss = 'refuse' | 'refuseRestarts' | 'ignore';

/** Options of `sqlSegmentStore`. */
export interface SqlSegmentStoreOptions extends SqlStoreOptions {
  /**
   * Several databases instead of one. Each grants its own share of the numbers, and any of them may be down.
   * Bounds: 1 to `stride` databases, each at its own position of the array.
   *
   * Add databases at the end, remove only the last one, and never change the order. A database that takes another one's position grants
   * nothing until an operator calls `resume()`.
   *
   * @defaultValue none
   */
  readonly dataSources?: readonly SqlDatabaseSource[];

  /**
   * The distance between two numbers of one database, with `dataSources`.
   * Bounds: 1 to 1,000. Never change it once a tag exists.
   *
   * @defaultValue `1`
   */
  readonly stride?: number;

  /**
   * Name of the table of counters. Two more tables are `<tableName>_state` and `<tableName>_claim`.
   * Bounds: 1 to 40 letters, digits and `_`, no digit first.
   *
   * The table has the same columns as Leaf's, so `'leaf_alloc'` continues the counters of Leaf.
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
   * With `'refuse'`, the store grants nothing after the server was replaced, took over from another one, or got its tables from a dump,
   * until an operator calls `resume()`. After a restart, it continues unless the server can lose commits in a crash: it checks `fsync` and
   * `full_page_writes` (PostgreSQL), or `innodb_flush_log_at_trx_commit`, `innodb_flush_method` and, with a binary log, `sync_binlog`
   * (MySQL, MariaDB). Older files or a volume snapshot of the same server look like a restart, so call `resume()` after each restore.
   * `'refuseRestarts'` detects these, because it refuses after every restart. `'ignore'` detects nothing, so numbers repeat after a loss:
   * use it only in development.
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

export const SQL_SEGMENT_OPTIONS = {
  ...DATABASE_OPTIONS,
  dataSources: unchecked<SqlSegmentStoreOptions['dataSources']>(),
  stride: wholeNumber(1, 1000).or(1),
  tableName: SEGMENT_TABLES.nameRule,
  createTable: flag().or(false),
  possibleLoss: oneOf('refuse', 'refuseRestarts', 'ignore').or('refuse'),
} satisfies OptionRules<SqlSegmentStoreOptions>;

/**
 * Refuses options that cannot work, and fills in the defaults.
 *
 * @throws InvalidOptionError that names the option, its value and the remedy
 */
export function checkSegmentOptions(options: SqlSegmentStoreOptions): SqlSegmentSettings {
  const { url, driverOptions, schema, dataSource, dataSources, ...settings } = checkedOptions(
    'options',
    options,
    SQL_SEGMENT_OPTIONS,
  );
  const one = { url, driverOptions, schema, dataSource };
  return { ...settings, databases: databasesOf(one, dataSources, settings.stride) };
}

function databasesOf(
  one: Omit<SqlStoreOptions, 'assumeNoLostWrites'>,
  dataSources: unknown,
  stride: number,
): readonly SqlDatabaseSource[] {
  if (dataSources === undefined) {
    if (stride === 1) return [chosenDatabase(one)];
    const remedy = 'Pass the databases as an array: dataSources: [a, b, c].';
    throw new InvalidOptionError('stride', stride, 'needs dataSources', remedy);
  }
  const rival = Object.entries(one).find(([, value]) => value !== undefined);
  if (rival) {
    const problem = `conflicts with ${rival[0]}`;
    throw new InvalidOptionError('dataSources', '(an array)', problem, 'Remove one of the two.');
  }
  if (!Array.isArray(dataSources) || dataSources.length < 1 || dataSources.length > stride) {
    throw new InvalidOptionError(
      'dataSources',
      Array.isArray(dataSources) ? `${dataSources.length} databases` : typeof dataSources,
      `must be an array of 1 to ${stride} databases`,
      'Pass one database per position, and a stride with room for more of them.',
    );
  }
  // map() would leave out the holes of a sparse array.
  return Array.from(dataSources, (each) => DATABASE.check('dataSource', each));
}
