import { In, QueryBuilder, type EntityMetadata, type ObjectLiteral } from 'typeorm';
import { SnowflakeIdTransformer } from './snowflake-id-transformer.js';

type ColumnMetadata = EntityMetadata['columns'][number];

/** What `whereInIds()` and `delete`, `update` and `save` of many rows turn their IDs into SQL with. */
const METHOD = 'getWhereInIdsCondition';

let searchesByIn = false;

/**
 * Lets TypeORM search several rows of an entity with a Snowflake key by `id IN (…)`.
 *
 * Why: as soon as a key has a transformer, it writes `((id = …) OR (id = …) …)` instead, because of an old bug that is
 * long mended. The time for that grows with the square of the rows, and SQLite takes a thousand rows at most.
 *
 * How: the transformer has to stay. It is how `createdBetween` learns its column and how a rounded number is refused in
 * a search, and nothing else on a column takes part in both. So the method that looks at it gives way, for these keys
 * only. Were it renamed, searches would be as slow as TypeORM makes them, and right.
 */
export function searchIdsByIn(): void {
  if (searchesByIn) return;
  searchesByIn = true;
  const original: unknown = Reflect.get(QueryBuilder.prototype, METHOD);
  if (typeof original !== 'function') return;
  Reflect.set(
    QueryBuilder.prototype,
    METHOD,
    function (this: QueryBuilder<ObjectLiteral>, ids: unknown): unknown {
      return conditionByIn(this, ids) ?? Reflect.apply(original, this, [ids]);
    },
  );
}

function conditionByIn(
  { expressionMap }: QueryBuilder<ObjectLiteral>,
  ids: unknown,
): ObjectLiteral | undefined {
  const { mainAlias } = expressionMap;
  if (!Array.isArray(ids) || ids.length < 2 || !mainAlias?.hasMetadata) return undefined;
  const [column, ...others] = mainAlias.metadata.primaryColumns;
  if (column === undefined || others.length > 0 || !isPlainColumn(column)) return undefined;
  const { transformer, propertyName } = column;
  if (!(transformer instanceof SnowflakeIdTransformer)) return undefined;
  const values = ids.map((id: unknown) => idIn(id, propertyName));
  // TypeORM 0.3 does not show an operator to the transformer, which refuses rounded numbers.
  return values.every(isId) ? { [propertyName]: In(values.map((id) => transformer.to(id))) } : undefined;
}

/** TypeORM's own condition for IN leaves out the others as well. */
function isPlainColumn({ relationMetadata, embeddedMetadata }: ColumnMetadata): boolean {
  return !relationMetadata && !embeddedMetadata;
}

/** Of `'5'` and of `{ id: '5' }`. An object with more than its ID has to match in all of it. */
function idIn(id: unknown, property: string): unknown {
  if (typeof id !== 'object' || id === null) return id;
  const [[name, value] = [], ...others] = Object.entries(id);
  return name === property && others.length === 0 ? value : undefined;
}

function isId(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'bigint' || typeof value === 'number';
}
