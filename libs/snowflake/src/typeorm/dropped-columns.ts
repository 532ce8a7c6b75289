import type { DataSource } from 'typeorm';
import { ColumnDropError } from '../core/index.js';
import { findSnowflakeColumns } from './snowflake-columns.js';

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
  for (const { query } of upQueries) {
    const { path = '', column = '' } = DROP.exec(query)?.groups ?? {};
    const table = /[^"`]+(?=["`]$)/.exec(path)?.[0] ?? '';
    if (!kept.has(keyOf(table, column))) continue;
    const rows: unknown[] = await dataSource.query(`SELECT 1 FROM ${path} LIMIT 1`);
    if (rows.length > 0) throw new ColumnDropError(table, column);
  }
}

function keyOf(table: string, column: string): string {
  return `${table}\n${column}`;
}
