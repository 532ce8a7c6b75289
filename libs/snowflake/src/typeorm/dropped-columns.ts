import type { DataSource } from 'typeorm';
import { ColumnDropError } from '../core/errors/setup-errors.js';
import { findSnowflakeColumns } from './snowflake-columns.js';

/** If one column of a table is gone and another one is new, TypeORM renames the column. */
const RENAME =
  /^ALTER TABLE (?<path>.+) (?:RENAME COLUMN|CHANGE) ["`](?<from>[^"`]+)["`] (?:TO )?["`](?<to>[^"`]+)["`]/;
const DROP = /^ALTER TABLE (?<path>.+) DROP COLUMN (?:IF EXISTS )?["`](?<column>.+)["`]$/;

/**
 * Refuses a schema synchronization that would drop a Snowflake column of a table with rows, as TypeORM does to change the
 * column type on PostgreSQL and MySQL. SQLite copies the values. On CockroachDB, no transaction allows this check.
 *
 * @throws ColumnDropError
 */
export async function refuseToDropIds(dataSource: DataSource): Promise<void> {
  if (!/postgres|mysql|mariadb/.test(dataSource.options.type)) return;
  const kept = new Set(
    dataSource.entityMetadatas.flatMap((metadata) =>
      findSnowflakeColumns(metadata).all.map(({ databaseName }) => keyOf(metadata.tableName, databaseName)),
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
