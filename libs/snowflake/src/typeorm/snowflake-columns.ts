import type { EntityMetadata, ObjectLiteral } from 'typeorm';
import { markOf, type ColumnMetadata } from './column-registry.js';

export type { ColumnMetadata } from './column-registry.js';

/** A column whose missing IDs are made. */
export interface GeneratedColumn {
  readonly column: ColumnMetadata;
  readonly instance: string;
  /** What people call it, with the name of the entity at hand: `Order.id`. */
  readonly label: string;
}

/** The columns of an entity that hold Snowflake IDs. */
export interface SnowflakeColumns {
  readonly all: readonly ColumnMetadata[];
  /** Those whose value the application or this library sets; `generated` where this library does. */
  readonly own: readonly { readonly column: ColumnMetadata; readonly generated?: GeneratedColumn }[];
  /** Those of {@link own} whose missing IDs are made. */
  readonly generated: readonly GeneratedColumn[];
  /** Those that TypeORM fills from a relation: foreign keys, a key shared with another row, a junction's columns. */
  readonly references: readonly ColumnMetadata[];
  /** Many-to-many relations to rows with a Snowflake key, and the columns of those keys. */
  readonly links: readonly {
    readonly relation: EntityMetadata['relations'][number];
    readonly keys: readonly ColumnMetadata[];
  }[];
}

export function findSnowflakeColumns(metadata: EntityMetadata): SnowflakeColumns {
  const all = metadata.columns.filter(holdsIds);
  const own = all
    .filter((column) => !isFilledByRelation(column))
    .map((column) => ({ column, generated: generatedColumn(metadata, column) }));
  return {
    all,
    own,
    generated: own.flatMap(({ generated }) => generated ?? []),
    references: all.filter(isFilledByRelation),
    links: metadata.manyToManyRelations
      .map((relation) => ({ relation, keys: relation.inverseEntityMetadata.primaryColumns.filter(holdsIds) }))
      .filter(({ keys }) => keys.length > 0),
  };
}

/** The value that TypeORM would write. A junction row may hold the ID itself, where `getEntityValue` finds nothing. */
export function valueOf(column: ColumnMetadata, entity: ObjectLiteral): unknown {
  if (column.relationMetadata === undefined && column.referencedColumn !== undefined) {
    const value: unknown = entity[column.propertyName];
    if (typeof value !== 'object') return value;
  }
  return column.getEntityValue(entity);
}

function isFilledByRelation({ relationMetadata, referencedColumn }: ColumnMetadata): boolean {
  return relationMetadata !== undefined || referencedColumn !== undefined;
}

function holdsIds(column: ColumnMetadata): boolean {
  const { referencedColumn } = column;
  return markOf(column) !== undefined || (referencedColumn !== undefined && holdsIds(referencedColumn));
}

function generatedColumn(metadata: EntityMetadata, column: ColumnMetadata): GeneratedColumn | undefined {
  const instance = markOf(column)?.instance;
  if (instance === undefined) return undefined;
  if (!column.embeddedMetadata && !isDeclaredFor(metadata.target, column.target)) return undefined;
  return { column, instance, label: `${metadata.name}.${column.propertyPath}` };
}

/** The parent of single table inheritance lists the columns of its children too, and its own rows leave them empty. */
function isDeclaredFor(entity: unknown, declaring: unknown): boolean {
  if (typeof entity !== 'function' || typeof declaring !== 'function') return true;
  return entity === declaring || entity.prototype instanceof declaring;
}
