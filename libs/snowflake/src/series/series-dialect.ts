import type { DataSource, DataSourceOptions } from 'typeorm';
import { InvalidOptionError } from '../core/index.js';
import { dialectOf } from '../kit/sql/dialects.js';
import type { SqlDialect } from '../kit/sql/dialect.js';

/** The differences between the databases that matter for series. */
export interface SeriesDialect {
  readonly sql: SqlDialect;
  /** Whether a DataSource has a single connection, on which all its transactions meet. */
  readonly hasOneConnection: boolean;
  /** Ends the INSERT of a counter, so that it adds to the counter that exists. */
  readonly addToCounter: string;
  /** Whether that statement returns the counter. */
  readonly returnsCounter: boolean;
  /** Begins and ends an INSERT that skips a row whose key exists. */
  readonly insertUnlessExists: readonly [begin: string, end: string];
  /**
   * Query for the `collation` of a column, by database (`null` for the present one), table and column, if the default collation
   * takes different texts for equal.
   */
  readonly collationOfColumn?: string;
}

const ON_CONFLICT =
  ' ON CONFLICT (series, scope, period) DO UPDATE SET last_number = counter.last_number + excluded.last_number';

/** Returns the dialect of a database. @throws InvalidOptionError if it can't hold series */
export function seriesDialectOf(options: DataSourceOptions): SeriesDialect {
  const sql = dialectOf(options, { holds: 'series', otherwise: 'hold the series in another DataSource' });
  if (options.type === 'mysql' || options.type === 'mariadb') {
    return {
      sql,
      hasOneConnection: false,
      // Locks the row exclusively. A locking read of a missing row, or INSERT IGNORE, would let two transactions deadlock.
      addToCounter: ' ON DUPLICATE KEY UPDATE last_number = last_number + ?',
      returnsCounter: false,
      insertUnlessExists: ['INSERT IGNORE INTO', ''],
      collationOfColumn:
        'SELECT collation_name AS `collation` FROM information_schema.columns' +
        ' WHERE table_schema = COALESCE(?, DATABASE()) AND table_name = ? AND column_name = ?',
    };
  }
  return {
    sql,
    hasOneConnection: options.type !== 'postgres',
    addToCounter: options.type === 'postgres' ? `${ON_CONFLICT} RETURNING last_number` : ON_CONFLICT,
    returnsCounter: options.type === 'postgres',
    insertUnlessExists: ['INSERT INTO', ' ON CONFLICT DO NOTHING'],
  };
}

/** Returns the DataSource of an event or an EntityManager: TypeORM 0.3 has only `connection`. @throws InvalidOptionError */
export function dataSourceOf(owner: {
  readonly dataSource?: DataSource;
  readonly connection?: DataSource;
}): DataSource {
  const dataSource = owner.dataSource ?? owner.connection;
  if (dataSource !== undefined) return dataSource;
  const remedy = 'Pass the EntityManager of your transaction.';
  throw new InvalidOptionError('manager', owner, 'has no DataSource', remedy);
}
