import type { DataSource, EntityMetadata } from 'typeorm';
import { ColumnDropError } from '../../core/errors/setup-errors.js';

/** If one column of a table is gone and another one is new, TypeORM renames the column. */
const RENAME =
  /^ALTER TABLE (?<path>.+) (?:RENAME COLUMN|CHANGE) ["`](?<from>[^"`]+)["`] (?:TO )?["`](?<to>[^"`]+)["`]/;
const DROP = /^ALTER TABLE (?<path>.+) DROP COLUMN (?:IF EXISTS )?["`](?<column>.+)["`]$/;

/**
 * Refuses `synchronize: true` if it would drop a column of a table with rows, as TypeORM does on PostgreSQL and MySQL to change the
 * type or the length. Call it when the first transaction of a DataSource begins, which is the schema builder's. SQLite copies the
 * values. On CockroachDB, no transaction allows this check.
 *
 * @param columnsOf returns the columns of an entity whose values must not be lost
 * @throws ColumnDropError
 */
export async function refuseToDropValues(
  dataSource: DataSource,
  columnsOf: (metadata: EntityMetadata) => readonly { readonly databaseName: string }[],
): Promise<void> {
  const { type, synchronize, dropSchema } = dataSource.options;
  if (synchronize !== true || dropSchema === true || !/postgres|mysql|mariadb/.test(type)) return;
  const kept = new Set(
    dataSource.entityMetadatas.flatMap((metadata) =>
      columnsOf(metadata).map(({ databaseName }) => keyOf(metadata.tableName, databaseName)),
    ),
  );
  if (kept.size === 0) return;
  const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
  const presentNames = new Map<string, string>();
  for (const { query } of upQueries) {
    const { path: renamed = '', from = '', to = '' } = RENAME.exec(query)?.groups ?? {};
    if (from !== to) presentNames.set(keyOf(tableIn(renamed), to), from);
    const { path = '', column = '' } = DROP.exec(query)?.groups ?? {};
    const key = keyOf(tableIn(path), column);
    if (!kept.has(key)) continue;
    const rows: unknown[] = await dataSource.query(`SELECT 1 FROM ${path} LIMIT 1`);
    if (rows.length > 0) throw new ColumnDropError(tableIn(path), column, presentNames.get(key));
  }
}

function tableIn(path: string): string {
  return /[^"`]+(?=["`]$)/.exec(path)?.[0] ?? '';
}

function keyOf(table: string, column: string): string {
  return `${table}\n${column}`;
}
