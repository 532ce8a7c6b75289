import type { DataSource } from 'typeorm';
import { findSnowflakeColumns } from 'nestjs-snowflake/internal/adapters/typeorm/snowflake-columns';
import type { DeclaredColumn } from './catalog.js';

/** Returns the columns that the entities of an app declare, keys first. Join tables have entities of TypeORM's own. */
export function declaredColumns({ entityMetadatas }: DataSource): DeclaredColumn[] {
  const columns = entityMetadatas.flatMap((entity) => {
    const { all, generated } = findSnowflakeColumns(entity);
    return all.map((column): DeclaredColumn => ({
      database: entity.database,
      schema: entity.schema,
      tableName: entity.tableName,
      name: column.databaseName,
      isKey: generated.some((key) => key.column === column),
    }));
  });
  // Several entities can share a table and repeat its columns, and not each of them generates the IDs.
  return columns.toSorted((one, other) => Number(other.isKey) - Number(one.isKey));
}
