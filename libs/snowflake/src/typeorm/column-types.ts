import type { DataSource } from 'typeorm';
import { ColumnTypeError, LossyDriverError, type ColumnInDatabase } from '../core/index.js';
import { FAMILIES, PROBE, type DatabaseFamily } from './database-families.js';
import type { ColumnMetadata } from './snowflake-columns.js';

/** Digits of the largest ID. */
const MAX_DIGITS = 19;

/**
 * Reads an integer that no double can hold through the DataSource, on the path of entity columns, and the types of
 * the real columns, in one query. A column that does not exist yet is passed over. Databases without a
 * {@link DatabaseFamily} are not asked.
 *
 * @param columns columns that hold IDs
 * @throws LossyDriverError when the integer comes back altered, and one of the columns is a bigint
 * @throws ColumnTypeError when a column can't hold every ID
 */
export async function requireExactColumns(
  dataSource: DataSource,
  columns: readonly ColumnMetadata[],
): Promise<void> {
  const { type } = dataSource.options;
  const family = FAMILIES.find(({ includes }) => includes.test(type));
  if (family === undefined || columns.length === 0) return;
  const [[, , , probe] = [], ...found] = await readTypes(dataSource, family, columns);
  if (probe !== PROBE && columns.some((column) => column.type === 'bigint')) {
    throw new LossyDriverError(type, String(probe), family.remedy);
  }
  const types = new Map(found.map(([table, name, columnType]) => [keyOf(table, name), columnType]));
  const unfit = columns.flatMap((column): ColumnInDatabase[] => {
    const table = column.entityMetadata.tablePath;
    const columnType = types.get(keyOf(table, column.databaseName));
    if (columnType === undefined || holdsIds(columnType, family)) return [];
    return [{ table, column: column.databaseName, type: columnType }];
  });
  if (unfit.length > 0) throw new ColumnTypeError(unfit);
}

/** Rows of table path, column name, column type and probe; the probe in the first one. */
async function readTypes(
  dataSource: DataSource,
  { probe, columnsOf }: DatabaseFamily,
  columns: readonly ColumnMetadata[],
): Promise<string[][]> {
  const tables = [...new Set(columns.map(({ entityMetadata }) => entityMetadata))];
  const selects = columnsOf?.(tables) ?? [];
  const rows: object[] = await dataSource.query(
    [`SELECT '' AS "table", '' AS "column", '' AS "type", ${probe} AS "probe"`, ...selects].join(
      ' UNION ALL ',
    ),
  );
  const texts = rows.map((row) => Object.values(row).map(String));
  return texts.toSorted((one, other) => Number(one[0] !== '') - Number(other[0] !== ''));
}

/** Names that differ in their case alone are the same column in most databases, and bad luck in PostgreSQL. */
function keyOf(table = '', column = ''): string {
  return `${table}\n${column}`.toLowerCase();
}

const TYPE = /^(?<name>[a-z ]+?) ?(?:\((?<length>\d+)(?:, ?(?<scale>\d+))?\))?(?: unsigned)?$/;

/** In SQLite an `integer` is exact too, but small IDs come back as numbers. */
function holdsIds(type: string, { hasExactDecimals = false }: DatabaseFamily): boolean {
  const { name = '', length, scale = '0' } = TYPE.exec(type.toLowerCase())?.groups ?? {};
  if (/^(bigint|(tiny|medium|long)?text)$/.test(name)) return true;
  const isLongEnough = length === undefined || Number(length) >= MAX_DIGITS;
  if (/^(varchar|character varying)$/.test(name)) return isLongEnough;
  return /^(numeric|decimal)$/.test(name) && hasExactDecimals && isLongEnough && scale === '0';
}
