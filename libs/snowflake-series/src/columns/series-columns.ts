import type { EntityMetadata, ObjectLiteral } from 'typeorm';
import { InvalidOptionError } from 'nestjs-snowflake/core';
import {
  type ColumnMetadata,
  DeclaredColumns,
  lineageOf,
} from 'nestjs-snowflake/internal/adapters/typeorm/declared-columns';
import type { CivilDate } from '../core/civil-date.js';
import type { DateForm } from '../core/series-errors.js';
import type { SeriesDefinition } from '../core/series-definition.js';
import { requireKey } from '../core/keys.js';

/** What the decorator of a column says. */
export interface SeriesMark {
  readonly series: string;
  readonly definition: SeriesDefinition;
  /** The property with the scope of a row, or what returns it. */
  readonly scope: string | ((row: never) => unknown) | undefined;
  /** The property with the document's date. */
  readonly date: string | undefined;
  readonly document: ((row: never) => unknown) | undefined;
}

/** A column with numbers of a series. */
export interface SeriesColumn extends SeriesMark {
  /** The entity. That of the column is its parent's, in single table inheritance. */
  readonly entity: EntityMetadata;
  readonly column: ColumnMetadata;
  /** Its name in messages: `Invoice.number`. */
  readonly label: string;
  readonly dateColumn: ColumnMetadata | undefined;
  readonly scopeColumn: ColumnMetadata | undefined;
}

/** Every declared column with numbers of a series. */
export const SERIES_COLUMNS = new DeclaredColumns<SeriesMark>('columns of series');

/**
 * Returns the columns of an entity that hold numbers of series.
 *
 * @throws InvalidOptionError if one names no column, or would get no numbers
 */
export function seriesColumnsOf(metadata: EntityMetadata): SeriesColumn[] {
  SERIES_COLUMNS.requireOneVersion(metadata);
  requireColumns(metadata);
  return metadata.columns.flatMap((column) => {
    const mark = SERIES_COLUMNS.markIn(metadata, column);
    if (!mark) return [];
    const label = `${metadata.name}.${column.propertyPath}`;
    const columnOf = (option: 'date' | 'scope'): ColumnMetadata | undefined => {
      const property = mark[option];
      return typeof property === 'string'
        ? columnNamed(metadata, column, property, `${label}: ${option}`)
        : undefined;
    };
    return [
      {
        ...mark,
        entity: metadata,
        column,
        label,
        dateColumn: columnOf('date'),
        scopeColumn: columnOf('scope'),
      },
    ];
  });
}

/** Returns the object that holds the number of a row: the row, or the embedded object; `undefined` if that is missing. */
export function holderIn({ column }: SeriesColumn, row: ObjectLiteral): ObjectLiteral | undefined {
  let holder: unknown = row;
  for (const property of column.embeddedMetadata?.parentPropertyNames ?? []) {
    if (!isObject(holder)) return undefined;
    holder = holder[property];
  }
  return isObject(holder) ? holder : undefined;
}

/** Returns the values for the fields of the format: properties next to the number, or else of the entity. */
export function fieldsIn(column: SeriesColumn, row: ObjectLiteral): Readonly<Record<string, unknown>> {
  if (column.column.embeddedMetadata === undefined) return row;
  const holder = holderIn(column, row);
  return Object.fromEntries(
    column.definition.fieldNames.map((name) => [name, (holder?.[name] ?? row[name]) as unknown]),
  );
}

/** Returns the scope of a row; empty if its series has none. @throws InvalidOptionError */
export function scopeIn({ label, scope, scopeColumn }: SeriesColumn, row: ObjectLiteral): string {
  if (scope === undefined) return '';
  const value: unknown = typeof scope === 'function' ? scope(row as never) : scopeColumn?.getEntityValue(row);
  return requireKey(`${label}: scope`, value);
}

/**
 * Returns the date of a row.
 *
 * @throws InvalidDateError if it is not a date
 * @throws InvalidOptionError if it is missing, or TypeORM would write another date
 */
export function dateIn(
  { label, dateColumn, definition }: SeriesColumn,
  row: ObjectLiteral,
): CivilDate | undefined {
  if (dateColumn === undefined) return undefined;
  // This is the value that TypeORM writes.
  const value: unknown = dateColumn.getEntityValue(row, true);
  const option = `${label}: ${dateColumn.propertyPath}`;
  if (value === undefined || value === null) {
    const remedy =
      "Set the document's date before the INSERT, or omit the option date to use the date of the database.";
    throw new InvalidOptionError(option, value, 'has no date', remedy);
  }
  if (value instanceof Date && dateColumn.type === 'date') {
    const remedy = "Set a date such as '2026-12-31': TypeORM writes a Date in the time zone of the process.";
    throw new InvalidOptionError(option, value, 'is a Date in a column of type date', remedy);
  }
  return definition.dateOf(option, value, formOf(dateColumn));
}

/**
 * Returns what a column holds. Of a timestamp, a column of type `date` keeps the day of the text, in whatever zone it is written; and of
 * a date, TypeORM makes midnight in the time zone of the process.
 */
function formOf({ type }: ColumnMetadata): DateForm {
  if (type === 'date') return 'date';
  return type === Date || /^(timestamp|datetime)/.test(String(type)) ? 'instant' : 'any';
}

/** Returns whether a collation decides which values of a column are equal: 'Müller' and 'MÜLLER' can be. */
export function isTextColumn({ type }: ColumnMetadata): boolean {
  return type === String || /char|text/.test(String(type));
}

/** Looks next to the column first, which matters in an embedded class. @throws InvalidOptionError */
function columnNamed(
  metadata: EntityMetadata,
  { embeddedMetadata }: ColumnMetadata,
  property: string,
  option: string,
): ColumnMetadata {
  const prefixes = embeddedMetadata?.embeddedMetadataTree.map(({ propertyPath }) => `${propertyPath}.`) ?? [];
  for (const prefix of [...prefixes.toReversed(), '']) {
    const column = metadata.findColumnWithPropertyPath(prefix + property);
    if (column) return column;
  }
  throw new InvalidOptionError(option, property, 'is not a column', `Name a column of ${metadata.name}.`);
}

/** Refuses an entity of an EntitySchema that leaves out a marked property: it would get no number. @throws InvalidOptionError */
function requireColumns(metadata: EntityMetadata): void {
  const holders = [{ type: metadata.target, columns: metadata.ownColumns }, ...metadata.allEmbeddeds];
  for (const { type, columns } of holders) {
    for (const declaring of lineageOf(type)) {
      for (const [property, { series }] of SERIES_COLUMNS.declaredBy(declaring)) {
        if (columns.some(({ propertyName }) => propertyName === property)) continue;
        const remedy = 'Add the column to its EntitySchema, or remove @SeriesNumber().';
        const option = `${metadata.name}.${String(property)}: series`;
        throw new InvalidOptionError(option, series, 'marks a property that is not a column', remedy);
      }
    }
  }
}

function isObject(value: unknown): value is ObjectLiteral {
  return typeof value === 'object' && value !== null;
}
