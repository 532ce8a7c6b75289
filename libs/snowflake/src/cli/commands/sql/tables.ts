import { dialectOf } from '../../../kit/sql/dialects.js';
import {
  checkTableName,
  createLeases,
  createNamespaces,
  DEFAULT_TABLE_NAME,
  leaseTables,
} from '../../../stores/sql/lease-tables.js';

/** The databases that can hold leases, and the drivers that name them in options. */
export const DATABASES = {
  postgres: 'postgres',
  mysql: 'mysql',
  mariadb: 'mariadb',
  sqlite: 'better-sqlite3',
} as const;

export type DatabaseName = keyof typeof DATABASES;

/** Returns the statements that create the missing tables of a lease store. @throws InvalidOptionError for a bad name */
export function createStatements(database: DatabaseName, tableName?: string): readonly string[] {
  const options = { type: DATABASES[database] };
  const dialect = dialectOf(options);
  const tables = leaseTables(
    checkTableName(tableName ?? DEFAULT_TABLE_NAME, DEFAULT_TABLE_NAME, '--table'),
    options,
    dialect,
  );
  return [createNamespaces(tables, dialect), ...createLeases(tables, dialect)];
}
