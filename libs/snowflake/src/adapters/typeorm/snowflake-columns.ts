import type { EntityMetadata, ObjectLiteral } from 'typeorm';
import type { IdSourceName } from '../../core/ids/id-source-name.js';
import type { ColumnMetadata } from './declared-columns.js';
import { SNOWFLAKE_COLUMNS } from './snowflake-marks.js';

/** A column whose value the application or this library sets. */
export interface OwnColumn {
  readonly column: ColumnMetadata;
  /** The property of the entity itself; absent for an embedded one. Avoids TypeORM's property lookup for every row. */
  readonly property: string | undefined;
  /** What generates missing IDs. */
  readonly source: IdSourceName | undefined;
  /** Its name in messages, with the name of the actual entity: `Order.id`. */
  readonly label: string;
}

/** A column whose missing IDs the library generates. */
export interface GeneratedColumn extends OwnColumn {
  readonly source: IdSourceName;
}

/** The columns of an entity that hold Snowflake IDs. */
export interface SnowflakeColumns {
  readonly all: readonly ColumnMetadata[];
  /** The columns that TypeORM doesn't fill from a relation. */
  readonly own: readonly OwnColumn[];
  /** The columns of {@link own} whose missing IDs the library generates. */
  readonly generated: readonly GeneratedColumn[];
  /** The columns that TypeORM fills from a relation: foreign keys, a key shared with another row, a junction's columns. */
  readonly references: readonly ColumnMetadata[];
  /** Many-to-many relations to rows with a Snowflake key, and the columns of those keys. */
  readonly links: readonly {
    readonly relation: EntityMetadata['relations'][number];
    readonly keys: readonly ColumnMetadata[];
  }[];
}

/** Returns the columns of an entity that hold IDs, and those of relations to them. */
export function findSnowflakeColumns(metadata: EntityMetadata): SnowflakeColumns {
  const all = metadata.columns.filter(isIdColumn);
  const own = all
    .filter((column) => !isFilledByRelation(column))
    .map((column) => ownColumn(metadata, column));
  return {
    all,
    own,
    generated: own.filter(isGenerated),
    references: all.filter(isFilledByRelation),
    links: metadata.manyToManyRelations
      .map((relation) => ({
        relation,
        keys: relation.inverseEntityMetadata.primaryColumns.filter(isIdColumn),
      }))
      .filter(({ keys }) => keys.length > 0),
  };
}

/** Returns the value that TypeORM would write. A junction row may hold the ID itself, which `getEntityValue` doesn't find. */
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

function isIdColumn(column: ColumnMetadata): boolean {
  const { referencedColumn } = column;
  return (
    SNOWFLAKE_COLUMNS.markOf(column) !== undefined ||
    (referencedColumn !== undefined && isIdColumn(referencedColumn))
  );
}

function ownColumn(metadata: EntityMetadata, column: ColumnMetadata): OwnColumn {
  const { embeddedMetadata, propertyName, propertyPath } = column;
  return {
    column,
    property: embeddedMetadata === undefined ? propertyName : undefined,
    source: SNOWFLAKE_COLUMNS.markIn(metadata, column)?.source,
    label: `${metadata.name}.${propertyPath}`,
  };
}

export function isGenerated(column: OwnColumn): column is GeneratedColumn {
  return column.source !== undefined;
}

/** The app's object for a row to insert. */
type Row = Record<string, unknown>;

export function readOwn({ column, property }: OwnColumn, entity: Row): unknown {
  return property === undefined ? column.getEntityValue(entity) : entity[property];
}

export function writeOwn({ column, property }: OwnColumn, entity: Row, id: unknown): void {
  if (property === undefined) column.setEntityValue(entity, id);
  else entity[property] = id;
}
