// snowflake-keys.ts
import { ColumnNode, DefaultInsertValueNode, InsertQueryNode, type KyselyPlugin } from 'kysely';
import {
  OperationNodeTransformer,
  PrimitiveValueListNode,
  ValueListNode,
  ValueNode,
  ValuesNode,
} from 'kysely';
import type { QueryId, ValuesItemNode } from 'kysely';
import { nextId } from './ids.js';

class SnowflakeKeys extends OperationNodeTransformer {
  constructor(private readonly tables: readonly string[]) {
    super();
  }

  protected override transformInsertQuery(node: InsertQueryNode, queryId?: QueryId): InsertQueryNode {
    const query = super.transformInsertQuery(node, queryId);
    const { into, columns = [], values } = query;
    if (!into || !this.tables.includes(into.table.identifier.name)) return query;
    if (!values || !ValuesNode.is(values)) return query;
    const found = columns.findIndex(({ column }) => column.name === 'id');
    const isAbsent = found < 0;
    const rows = values.values.map((row) => withId(row, isAbsent ? columns.length : found));
    return {
      ...query,
      columns: isAbsent ? [...columns, ColumnNode.create('id')] : columns,
      values: ValuesNode.create(rows),
    };
  }
}

/** Puts an ID at this index of the row, if it has none. */
function withId(row: ValuesItemNode, index: number): ValueListNode {
  const values = PrimitiveValueListNode.is(row)
    ? row.values.map((value) => ValueNode.create(value))
    : [...row.values];
  const given = values[index];
  if (!given || DefaultInsertValueNode.is(given)) values[index] = ValueNode.create(nextId());
  return ValueListNode.create(values);
}

/** Fills the column `id` of these tables. */
export function snowflakeKeys(...tables: string[]): KyselyPlugin {
  const keys = new SnowflakeKeys(tables);
  return {
    transformQuery: ({ node, queryId }) => keys.transformNode(node, queryId),
    transformResult: async ({ result }) => result,
  };
}
