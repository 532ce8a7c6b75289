import { InvalidOptionError } from 'nestjs-snowflake/core';
import type { TableSet } from 'nestjs-snowflake/kit';
import { SEGMENT_TABLES } from 'nestjs-snowflake/kit';
import { SERIES_TABLES } from 'nestjs-snowflake/kit';
import { LEASE_TABLES } from 'nestjs-snowflake/kit';

/** The databases that can hold the tables, and the drivers that name them in options. */
export const DATABASES = {
  postgres: 'postgres',
  mysql: 'mysql',
  mariadb: 'mariadb',
  sqlite: 'better-sqlite3',
} as const;

export type DatabaseName = keyof typeof DATABASES;

interface Holder {
  readonly tables: TableSet<string>;
  /** What uses the tables. */
  readonly usedBy: string;
  /** What the statements can't do. */
  readonly note?: string;
}

/** What the tables can be for. */
export const HOLDERS = {
  leases: { tables: LEASE_TABLES, usedBy: 'sqlLeaseStore' },
  segments: {
    tables: SEGMENT_TABLES,
    usedBy: 'sqlSegmentStore',
    note: 'No statement can store the history of the server: call segments.resume({}) once, before the first claim.',
  },
  series: { tables: SERIES_TABLES, usedBy: 'SeriesModule' },
} as const satisfies Readonly<Record<string, Holder>>;

export type HolderName = keyof typeof HOLDERS;

/** Which tables to create. */
export interface WantedTables {
  readonly database: DatabaseName;
  /** All of them without it. */
  readonly holder?: HolderName | undefined;
  /** The name of the main table, of one holder. */
  readonly tableName?: string | undefined;
}

/**
 * Returns the statements that create the missing tables. A line that begins with `--` is a comment.
 *
 * @throws InvalidOptionError for a bad name, or for a name of tables whose holder is missing or fixes it
 */
export function createStatements({ database, holder, tableName }: WantedTables): readonly string[] {
  if (tableName !== undefined && (holder === undefined || holder === 'series')) {
    const remedy = 'Add --for leases or --for segments. The names of the tables of series are fixed.';
    throw new InvalidOptionError('--table', tableName, 'names the tables of one store', remedy);
  }
  const names = holder === undefined ? (Object.keys(HOLDERS) as HolderName[]) : [holder];
  return names.flatMap((name) => statementsFor(HOLDERS[name], database, tableName));
}

function statementsFor(
  { tables, usedBy, note }: Holder,
  database: DatabaseName,
  tableName?: string,
): readonly string[] {
  const options = { type: DATABASES[database] };
  const place = tables.in(options, tables.requireName(tableName, '--table'));
  return [
    `-- The tables of ${tables.use.holds}, for ${usedBy}.${note ? ` ${note}` : ''}`,
    ...place.tables.create,
  ];
}
