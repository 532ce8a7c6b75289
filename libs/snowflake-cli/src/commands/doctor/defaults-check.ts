import type { DataSource } from 'typeorm';
import { findSnowflakeColumns } from 'nestjs-snowflake/internal/adapters/typeorm/snowflake-columns';
import { FAMILIES } from 'nestjs-snowflake/internal/kit/sql/column-families';
import { readColumns } from 'nestjs-snowflake/internal/kit/sql/columns-in-database';
import { type Finding, finding } from './findings.js';

/** `snowflake.id()` takes IDs of the same ID space. PostgreSQL shows no schema if it is in the search path. */
const OWN_DEFAULT = /^(snowflake\.)?id\(\)$/;

/**
 * Finds columns whose IDs the library generates, but which the database fills if an ID is missing, such as a former `serial`. Such a
 * number is not unique among the IDs of the app, and nobody notices that the app has set none.
 */
export async function examineDefaults(dataSource: DataSource): Promise<Finding[]> {
  const family = FAMILIES.find(({ includes }) => includes.test(dataSource.options.type));
  const columns = dataSource.entityMetadatas.flatMap((entity) =>
    findSnowflakeColumns(entity).generated.map(({ column }) => column),
  );
  if (family === undefined || columns.length === 0) return [];
  const tables = new Set(columns.map(({ entityMetadata }) => entityMetadata));
  const { find } = await readColumns(family, [...tables], (sql) => dataSource.query(sql));
  const filled = columns.flatMap(({ entityMetadata, databaseName }) =>
    find(entityMetadata.tablePath, [databaseName]).flatMap(({ table, column, default: given }) =>
      given === '' || OWN_DEFAULT.test(given) ? [] : [`${table}.${column} by ${given}`],
    ),
  );
  if (filled.length === 0) return [];
  const problem = `The database fills a missing ID itself: ${[...new Set(filled)].join(', ')}.`;
  return [finding('KEY_DEFAULT', problem)];
}
