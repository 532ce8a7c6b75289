import type { DataSource } from 'typeorm';
import { ColumnTypeError, LossyDriverError, type ColumnInDatabase } from '../core/errors/setup-errors.js';
import { FAMILIES, holdsIds, PROBE, type DatabaseFamily } from '../kit/sql/column-families.js';
import type { ColumnMetadata } from './declared-columns.js';

/**
 * Reads in one query an integer that no double can hold, in the same way as entity columns, and the types of the actual
 * columns. Skips columns that do not exist yet. Does not query databases without a {@link DatabaseFamily}.
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
  const [[, , , , probe] = [], ...found] = await readTypes(dataSource, family, columns);
  if (probe !== PROBE && columns.some((column) => column.type === 'bigint')) {
    throw new LossyDriverError(type, String(probe), family.remedy);
  }
  const types = new Map(found.map(([table, name, columnType]) => [keyOf(table, name), columnType]));
  const typeOf = (column: ColumnMetadata): string | undefined =>
    types.get(keyOf(column.entityMetadata.tablePath, column.databaseName));
  const unfit = columns.flatMap((column): ColumnInDatabase[] => {
    const table = column.entityMetadata.tablePath;
    const columnType = typeOf(column);
    if (columnType === undefined || holdsIds(columnType, family)) return [];
    return [{ table, column: column.databaseName, type: columnType }];
  });
  if (unfit.length > 0) throw new ColumnTypeError(unfit);
  return columns.filter((column) => typeOf(column) !== undefined);
}

/** Returns rows of table path, column name, column type, default and probe. The first row has the probe. */
async function readTypes(
  dataSource: DataSource,
  { probe, columnsOf }: DatabaseFamily,
  columns: readonly ColumnMetadata[],
): Promise<string[][]> {
  const tables = [...new Set(columns.map(({ entityMetadata }) => entityMetadata))];
  const selects = columnsOf?.(tables) ?? [];
  const rows: object[] = await dataSource.query(
    [
      `SELECT '' AS "table", '' AS "column", '' AS "type", '' AS "default", ${probe} AS "probe"`,
      ...selects,
    ].join(' UNION ALL '),
  );
  const texts = rows.map((row) => Object.values(row).map(String));
  return texts.toSorted((one, other) => Number(one[0] !== '') - Number(other[0] !== ''));
}

/** Ignores case, as most databases do. In PostgreSQL, names that differ only in case would collide. */
function keyOf(table = '', column = ''): string {
  return `${table}\n${column}`.toLowerCase();
}
