import { InvalidOptionError } from 'nestjs-snowflake/core';
import { LEASE_TABLES } from 'nestjs-snowflake/internal/stores/sql/lease-tables';
import type { TableSet } from 'nestjs-snowflake/internal/kit/sql/tables/tables';
import { withPackage } from '../../frame/optional-package.js';

/** The databases that can hold the tables, and the drivers that name them in options. */
export const DATABASES = {
  postgres: 'postgres',
  mysql: 'mysql',
  mariadb: 'mariadb',
  sqlite: 'better-sqlite3',
} as const;

export type DatabaseName = keyof typeof DATABASES;

interface Holder {
  /** What uses the tables. */
  readonly usedBy: string;
  /** What the statements can't do. */
  readonly note?: string;
  tables(): Promise<TableSet<string>>;
}

/** What the tables can be for. */
export const HOLDERS = {
  leases: { usedBy: 'sqlLeaseStore', tables: () => Promise.resolve(LEASE_TABLES) },
  segments: {
    usedBy: 'sqlSegmentStore',
    note: 'SQL alone cannot store the history of the server: call segments.resume({}) once, before the first claim.',
    tables: async () =>
      (await installed('segments', () => import('nestjs-snowflake-segments/internal/sql/segment-tables')))
        .SEGMENT_TABLES,
  },
  series: {
    usedBy: 'SeriesModule',
    tables: async () =>
      (await installed('series', () => import('nestjs-snowflake-series/internal/database/series-tables')))
        .SERIES_TABLES,
  },
} as const satisfies Readonly<Record<string, Holder>>;

export type HolderName = keyof typeof HOLDERS;

/** Which tables to create. */
export interface WantedTables {
  readonly database: DatabaseName;
  readonly holder: HolderName;
  /** The name of the main table. */
  readonly tableName?: string | undefined;
}

/**
 * Returns the statements that create the missing tables. A line that begins with `--` is a comment.
 *
 * @throws InvalidOptionError for a bad name, or for a name of tables whose holder fixes it
 * @throws MissingPackageError if the package that has the tables is not installed
 */
export async function createStatements({
  database,
  holder,
  tableName,
}: WantedTables): Promise<readonly string[]> {
  if (tableName !== undefined && holder === 'series') {
    const remedy = 'Omit it: the tables of series have fixed names.';
    throw new InvalidOptionError(
      '--table',
      tableName,
      'applies only to the lease and segment tables',
      remedy,
    );
  }
  const { usedBy, note, ...of }: Holder = HOLDERS[holder];
  const tables = await of.tables();
  const place = tables.in({ type: DATABASES[database] }, tables.nameRule.check('--table', tableName));
  return [
    `-- The tables of ${tables.use.holds}, for ${usedBy}.${note ? ` ${note}` : ''}`,
    ...place.tables.create,
  ];
}

function installed<Module>(holder: string, importing: () => Promise<Module>): Promise<Module> {
  return withPackage(`nestjs-snowflake-${holder}`, 'sql', importing);
}
