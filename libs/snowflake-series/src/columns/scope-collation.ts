import type { DataSource } from 'typeorm';
import { isTextColumn, type SeriesColumn } from './series-columns.js';
import type { SeriesDatabase } from '../database/series-database.js';

/** Compares texts byte by byte, but for spaces at the end, which no scope has. */
const IS_EXACT = /(_bin|^binary)$/;

/**
 * Returns a warning for each column with scopes that the database can take for equal although they differ. A series tells such
 * scopes apart. A unique index of the app doesn't, so only one of them gets its first number.
 */
export async function inexactScopes(
  { dialect: { collationOfColumn } }: SeriesDatabase,
  dataSource: DataSource,
  columns: readonly SeriesColumn[],
): Promise<string[]> {
  if (collationOfColumn === undefined) return [];
  const warnings: string[] = [];
  for (const { label, entity, scopeColumn } of columns) {
    if (scopeColumn === undefined || !isTextColumn(scopeColumn)) continue;
    const place = [entity.database ?? null, entity.tableName, scopeColumn.databaseName];
    const [found] = await dataSource.query<{ collation?: string | null }[]>(collationOfColumn, place);
    const collation = found?.collation;
    if (collation && !IS_EXACT.test(collation))
      warnings.push(warning(label, scopeColumn.databaseName, collation));
  }
  return warnings;
}

function warning(label: string, column: string, collation: string): string {
  return (
    `${label}: the scope column ${column} has the collation ${collation}, which treats scopes such as 'Müller' and 'MÜLLER' ` +
    'as equal. If a unique index covers the scope and the number, one of the two scopes gets no numbers. Use IDs as ' +
    "scopes, or declare the column with @Column({ collation: 'utf8mb4_bin' })."
  );
}
