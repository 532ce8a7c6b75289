import { ColumnTypeError, type ColumnInDatabase } from '../../core/errors/setup-errors.js';
import { storesIdsExactly, type DatabaseFamily, type NamedTable } from './column-families.js';

/** A column as the database describes it. */
export interface DescribedColumn extends ColumnInDatabase {
  /** As SQL; '' without one. */
  readonly default: string;
}

/** What one query has read. */
export interface ColumnsInDatabase {
  /** What the driver has made of the probe. */
  readonly probe: string;
  /** Returns those of the columns that exist, by the path of their table. */
  readonly find: (tablePath: string, columns: readonly string[]) => DescribedColumn[];
}

/**
 * Reads the probe in the same way as columns, and the columns of the tables.
 *
 * @param query returns rows as objects, whose properties are in the order of the columns
 */
export async function readColumns(
  { probe, columnsOf }: DatabaseFamily,
  tables: readonly NamedTable[],
  query: (sql: string) => Promise<unknown>,
): Promise<ColumnsInDatabase> {
  const selects = [
    `SELECT '' AS t, '' AS c, '' AS y, '' AS d, ${probe} AS p`,
    ...(columnsOf?.(tables) ?? []),
  ];
  const rows = (await query(selects.join(' UNION ALL '))) as object[];
  const texts = rows.map((row) => Object.values(row).map(String));
  const columns = texts.map(([table = '', column = '', type = '', given = '']) => {
    const described: DescribedColumn = { table, column, type, default: given };
    return [keyOf(table, column), described] as const;
  });
  const byName = new Map(columns);
  return {
    // Only the row of the probe names no table.
    probe: String(texts.find(([table]) => table === '')?.[4]),
    find: (tablePath, names) => names.flatMap((name) => byName.get(keyOf(tablePath, name)) ?? []),
  };
}

/** @throws ColumnTypeError if a column can't hold every ID */
export function requireFittingTypes(columns: readonly DescribedColumn[], family: DatabaseFamily): void {
  const unfit = columns.filter(({ type }) => !storesIdsExactly(type, family));
  if (unfit.length === 0) return;
  throw new ColumnTypeError(unfit.map(({ table, column, type }) => ({ table, column, type })));
}

/** Ignores case, as most databases do. In PostgreSQL, names that differ only in case would collide. */
function keyOf(table: string, column: string): string {
  return `${table}\n${column}`.toLowerCase();
}
