import { UpdateQueryBuilder, type ObjectLiteral } from 'typeorm';
import { isValue, type ColumnMetadata } from './column-values.js';
import { givenId } from './given-id.js';
import { keepsValue } from './id-literals.js';
import { snowflakeColumnsOf } from './snowflake-columns.js';
import { SnowflakeIdTransformer } from './snowflake-id-transformer.js';

type Builder = UpdateQueryBuilder<ObjectLiteral>;

let checksIds = false;

/**
 * Refuses in an UPDATE what is no ID, as the subscriber does in an INSERT.
 *
 * Why: SQLite stores text that is no number as it is, and rounds a number beyond 64 bits, in a `bigint` too.
 *
 * How: where the statement is made, after all listeners and subscribers. A `save` brings only what has changed there, so
 * that a row which already holds something else can still be saved.
 */
export function checkIdsOfUpdates(): void {
  if (checksIds) return;
  checksIds = true;
  const { getQueryAndParameters } = UpdateQueryBuilder.prototype;
  UpdateQueryBuilder.prototype.getQueryAndParameters = function (this: Builder) {
    checkIds(this);
    return getQueryAndParameters.call(this);
  };
}

/** @throws InvalidIdError */
function checkIds({ expressionMap: { mainAlias, valuesSet } }: Builder): void {
  if (!mainAlias?.hasMetadata || valuesSet === undefined) return;
  const { own, shared } = snowflakeColumnsOf(mainAlias.metadata);
  for (const { column } of own) checkId(column, valuesSet);
  for (const column of shared) checkId(column, valuesSet);
}

/** @throws InvalidIdError */
function checkId(column: ColumnMetadata, valuesSet: ObjectLiteral): void {
  const value: unknown = column.getEntityValue(valuesSet);
  if (column.isUpdate && isValue(value) && holdsIdsOnly(column)) givenId(value);
}

/** An app may put the transformer on a column of its own making, which holds more than IDs. */
function holdsIdsOnly({ transformer, type }: ColumnMetadata): boolean {
  return (
    transformer instanceof SnowflakeIdTransformer &&
    transformer.columnType === type &&
    keepsValue(transformer)
  );
}
