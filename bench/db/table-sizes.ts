import type { DataSource } from 'typeorm';

export const TIME_INDEX = 'orders_created_at';

/** Bytes in the database, by its own statistics. */
export interface TableSizes {
  /** The rows. In MariaDB these lie in the index of the key. */
  readonly table: number;
  /** The index of the key, where it is not the table itself. */
  readonly keyIndex: number;
  /** The index for a search by time; 0 if the key contains the time. */
  readonly timeIndex: number;
}

export function bytesOfAll({ table, keyIndex, timeIndex }: TableSizes): number {
  return table + keyIndex + timeIndex;
}

export type SizesOf = (dataSource: DataSource) => Promise<TableSizes>;

interface Part {
  name: string;
  bytes: number | string;
}

export const postgresSizes: SizesOf = async (dataSource) =>
  sizesFrom(
    await dataSource.query<Part[]>(
      `SELECT relname AS name, pg_relation_size(oid) AS bytes FROM pg_class
       WHERE oid = 'orders'::regclass
          OR oid IN (SELECT indexrelid FROM pg_index WHERE indrelid = 'orders'::regclass)`,
    ),
    'orders',
  );

export const mariaDbSizes: SizesOf = async (dataSource) =>
  sizesFrom(
    await dataSource.query<Part[]>(
      `SELECT index_name AS name, stat_value * @@innodb_page_size AS bytes FROM mysql.innodb_index_stats
       WHERE database_name = DATABASE() AND table_name = 'orders' AND stat_name = 'size'`,
    ),
    'PRIMARY',
  );

export const sqliteSizes: SizesOf = async (dataSource) =>
  sizesFrom(
    await dataSource.query<Part[]>(
      `SELECT name, SUM(pgsize) AS bytes FROM dbstat
       WHERE name IN (SELECT name FROM sqlite_schema WHERE tbl_name = 'orders') GROUP BY name`,
    ),
    'orders',
  );

/** Of a table with these indexes there are three parts at most. */
function sizesFrom(parts: readonly Part[], tableName: string): TableSizes {
  const bytesOf = (isWanted: (name: string) => boolean): number =>
    parts.filter(({ name }) => isWanted(name)).reduce((sum, { bytes }) => sum + Number(bytes), 0);
  return {
    table: bytesOf((name) => name === tableName),
    keyIndex: bytesOf((name) => name !== tableName && name !== TIME_INDEX),
    timeIndex: bytesOf((name) => name === TIME_INDEX),
  };
}
