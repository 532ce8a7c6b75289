import type { DataSource } from 'typeorm';
import { LossyDriverError } from '../../core/errors/setup-errors.js';
import { FAMILIES, PROBE } from '../../kit/sql/column-families.js';
import { readColumns, requireFittingTypes, type DescribedColumn } from '../../kit/sql/columns-in-database.js';
import type { ColumnMetadata } from './declared-columns.js';

/**
 * Reads in one query an integer that no double can hold, in the same way as entity columns, and the types of the actual
 * columns. Skips columns that do not exist yet. Does not query databases that are not in {@link FAMILIES}.
 *
 * @param columns columns that hold IDs
 * @returns the columns whose types were read
 * @throws LossyDriverError if the driver alters the integer, and one of the columns is a bigint
 * @throws ColumnTypeError if a column can't hold every ID
 */
export async function requireExactColumns(
  dataSource: DataSource,
  columns: readonly ColumnMetadata[],
): Promise<readonly ColumnMetadata[]> {
  const { type } = dataSource.options;
  const family = FAMILIES.find(({ includes }) => includes.test(type));
  if (family === undefined || columns.length === 0) return [];
  const tables = new Set(columns.map(({ entityMetadata }) => entityMetadata));
  const { probe, find } = await readColumns(family, [...tables], (sql) => dataSource.query(sql));
  if (probe !== PROBE && columns.some((column) => column.type === 'bigint'))
    throw new LossyDriverError(type, probe, family.remedy);
  const described = (column: ColumnMetadata): DescribedColumn[] =>
    find(column.entityMetadata.tablePath, [column.databaseName]);
  requireFittingTypes(columns.flatMap(described), family);
  return columns.filter((column) => described(column).length > 0);
}
