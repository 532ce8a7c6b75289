import type { EntityMetadata, ValueTransformer } from 'typeorm';
import type { ColumnMetadata } from './column-values.js';
import { SnowflakeIdTransformer } from './snowflake-id-transformer.js';

const ids = new SnowflakeIdTransformer();

/** For a column that refers to an ID. No {@link SnowflakeIdTransformer}, which would make it one of this library's own. */
const linked: ValueTransformer = {
  to: (value: unknown) => ids.to(value),
  from: (value: unknown) => value,
};

/**
 * Refuses a rounded number where a relation names a row: the neighbour's ID, made in the same millisecond, is one that
 * exists, and no foreign key refuses it.
 *
 * Why here: TypeORM makes the columns of relations and of junction tables without the transformer of the key that they
 * refer to.
 */
export function checkLinkedIds({ columns }: EntityMetadata): void {
  for (const column of columns) {
    if (column.transformer === undefined && refersToId(column)) column.transformer = linked;
  }
}

function refersToId({ referencedColumn }: ColumnMetadata): boolean {
  if (referencedColumn === undefined) return false;
  return referencedColumn.transformer instanceof SnowflakeIdTransformer || refersToId(referencedColumn);
}
