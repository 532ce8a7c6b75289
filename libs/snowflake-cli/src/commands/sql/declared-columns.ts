import type { DataSource } from 'typeorm';
import { findSnowflakeColumns } from 'nestjs-snowflake/kit-typeorm';

/** A column of an entity that holds Snowflake IDs. */
export interface DeclaredColumn {
  readonly database: string | undefined;
  readonly schema: string | undefined;
  readonly tableName: string;
  readonly name: string;
  /** Whether the app generates the IDs of this column. */
  readonly isKey: boolean;
}

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
