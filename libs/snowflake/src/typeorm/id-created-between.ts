import type { DataSource, EntityMetadata, QueryBuilder, WhereExpressionBuilder } from 'typeorm';
import { IdDecoder, InvalidOptionError, type Instant } from '../core/index.js';
import { findSubscriber } from './attach.js';
import { idLiteral } from './id-literals.js';
import { missingReader, readerOf, textColumn, type IdReader } from './known-layouts.js';
import { GeneratedIdTransformer } from './snowflake-id-transformer.js';

type Column = EntityMetadata['columns'][number];
type Query = Pick<QueryBuilder<object>, 'expressionMap'>;

/**
 * For query builders: the rows whose ID was made in `[from, to)`. `from` belongs to the range, `to` does not.
 *
 * ```ts
 * orders
 *   .createQueryBuilder('order')
 *   .innerJoin('order.customer', 'customer')
 *   .where(idCreatedBetween('customer.id', lastYear, today))
 *   .andWhere(idCreatedBetween('order.id', yesterday, today));
 * ```
 *
 * It goes into `where`, `andWhere` and `orWhere` of a query and of its `Brackets`, and into those of an update and a
 * delete. The bit layout is that of the column's generator; pass `ids` (the
 * SnowflakeIdMaker, or an `IdDecoder`) for a column without one, as {@link createdBetween} says.
 *
 * @param path `alias.property`, or a property of the entity that the query is about
 * @throws InvalidOptionError from the `where`, for the reasons of {@link createdBetween}, or when `path` is no column
 */
export function idCreatedBetween(
  path: string,
  from: Instant,
  to: Instant,
  ids?: IdReader,
): (query: WhereExpressionBuilder) => string {
  return (query) => {
    if (!isQuery(query)) throw unknownColumn(path);
    const column = columnAt(query, path);
    const dataSource = dataSourceOf(column.entityMetadata);
    const type = dataSource.driver.normalizeType(column);
    if (/char|text|string/i.test(type)) throw textColumn(path, type);
    const { first, before } = (ids ?? readerOfColumn(dataSource, column)).idRange(from, to);
    return `(${path} >= ${idLiteral(first)} AND ${path} < ${idLiteral(before)})`;
  };
}

/** Every builder that TypeORM hands to a condition; its interface says less. */
function isQuery(query: unknown): query is Query {
  return typeof query === 'object' && query !== null && 'expressionMap' in query;
}

/** @throws InvalidOptionError */
function columnAt(query: Query, path: string): Column {
  const [name = '', ...rest] = path.split('.');
  const named = aliasesFrom(query).find((alias) => alias.name === name);
  const owner = named ?? query.expressionMap.mainAlias;
  const property = named === undefined ? path : rest.join('.');
  const column = owner?.hasMetadata ? owner.metadata.findColumnWithPropertyPath(property) : undefined;
  if (column === undefined) throw unknownColumn(path);
  return column;
}

/** Those of the query itself first. Brackets have a query of their own, and their aliases in the one around it. */
function aliasesFrom(query: Query): Query['expressionMap']['aliases'] {
  const { aliases, mainAlias } = query.expressionMap;
  const own = mainAlias === undefined ? aliases : [...aliases, mainAlias];
  const parent: unknown = Reflect.get(query, 'parentQueryBuilder');
  return isQuery(parent) ? [...own, ...aliasesFrom(parent)] : own;
}

/** @throws InvalidOptionError, UnknownInstanceError */
function readerOfColumn(dataSource: DataSource, column: Column): IdReader {
  const { transformer } = column;
  if (!(transformer instanceof GeneratedIdTransformer)) {
    throw missingReader('the column has no generator that would tell the layout');
  }
  const { generator, column: label } = transformer;
  // By the DataSource where that is possible: two of them may have different generators of one name.
  const source = findSubscriber(dataSource)?.sourceFor(dataSource, { column, generator, label });
  return source?.layout === undefined ? readerOf(generator) : new IdDecoder(source.layout);
}

function dataSourceOf(metadata: EntityMetadata): DataSource {
  // TypeORM 0.3 has `connection` only.
  return metadata.dataSource ?? metadata.connection;
}

function unknownColumn(path: string): InvalidOptionError {
  return new InvalidOptionError(
    'path',
    path,
    'is no column of an entity of this query',
    "Write it as in the query builder: 'order.id' for createQueryBuilder('order').",
  );
}
