import type { EntityMetadata } from 'typeorm';
import type { ColumnMetadata } from './column-values.js';
import { checkLinkedIds } from './linked-ids.js';
import { GeneratedIdTransformer, SnowflakeIdTransformer } from './snowflake-id-transformer.js';

/** A column whose missing IDs are made. */
export interface GeneratedColumn {
  readonly column: ColumnMetadata;
  readonly generator: string;
  /** What people call it, with the name of the entity at hand: `Order.id`. */
  readonly label: string;
}

/** A column whose value the application or this library sets; none that TypeORM takes from a relation. */
export interface OwnColumn {
  readonly column: ColumnMetadata;
  /** Absent where only the application sets it. */
  readonly generated?: GeneratedColumn;
}

/** The columns of an entity that this library declared. */
export interface SnowflakeColumns {
  readonly own: readonly OwnColumn[];
  /** Those that TypeORM takes from a relation: a key shared with another row, a foreign key next to its own property. */
  readonly shared: readonly ColumnMetadata[];
  /** Those of {@link own} whose missing IDs are made. */
  readonly generated: readonly GeneratedColumn[];
  /** What no object may take from the row of another: the whole primary key, and the IDs next to it. */
  readonly kept: readonly ColumnMetadata[];
  /** Whether an INSERT returns some of those unasked, for their defaults. */
  readonly isKeptReturned: boolean;
  /** Whether TypeORM reads new rows again, for their defaults, where an INSERT returns nothing. */
  readonly isReadAgain: boolean;
  /** Whether a value must be read from a `bigint`. */
  readonly hasBigInt: boolean;
}

const known = new WeakMap<EntityMetadata, SnowflakeColumns>();

/** Finds them once for each entity, and has links checked from then on: this stands before every INSERT and UPDATE. */
export function snowflakeColumnsOf(metadata: EntityMetadata): SnowflakeColumns {
  let columns = known.get(metadata);
  if (columns === undefined) {
    known.set(metadata, (columns = findColumns(metadata)));
    checkLinkedIds(metadata);
  }
  return columns;
}

function findColumns(metadata: EntityMetadata): SnowflakeColumns {
  const all = metadata.columns.filter(({ transformer }) => transformer instanceof SnowflakeIdTransformer);
  const own = all
    .filter(({ relationMetadata }) => relationMetadata === undefined)
    .map((column): OwnColumn => ({ column, generated: generatedColumn(metadata, column) }));
  const generated = own.flatMap((column) => column.generated ?? []);
  const kept = all.length === 0 ? [] : keptColumns(metadata, generated);
  const returned = metadata.getInsertionReturningColumns();
  return {
    own,
    shared: all.filter(({ relationMetadata }) => relationMetadata !== undefined),
    generated,
    kept,
    isKeptReturned: kept.some((column) => returned.includes(column)),
    isReadAgain: returned.length > 0,
    hasBigInt: all.some(({ type }) => type === 'bigint'),
  };
}

function keptColumns(
  { primaryColumns }: EntityMetadata,
  generated: readonly GeneratedColumn[],
): readonly ColumnMetadata[] {
  return [...new Set([...primaryColumns, ...generated.map(({ column }) => column)])];
}

function generatedColumn(metadata: EntityMetadata, column: ColumnMetadata): GeneratedColumn | undefined {
  const { transformer } = column;
  if (!(transformer instanceof GeneratedIdTransformer)) return undefined;
  if (!column.embeddedMetadata && !isDeclaredFor(metadata.target, column.target)) {
    transformer.allowMissing();
    return undefined;
  }
  return {
    column,
    generator: transformer.generator,
    label: `${metadata.name}.${column.propertyPath}`,
  };
}

/** The parent of single table inheritance lists the columns of its children too, and its own rows leave them empty. */
function isDeclaredFor(entity: unknown, declaring: unknown): boolean {
  if (typeof entity !== 'function' || typeof declaring !== 'function') return true;
  return entity === declaring || entity.prototype instanceof declaring;
}
