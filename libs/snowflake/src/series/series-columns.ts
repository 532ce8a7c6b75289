import type { EntityMetadata, ObjectLiteral } from 'typeorm';
import { InvalidOptionError } from '../core/index.js';
import type { CivilDate, SeriesDefinition } from '../core/series/index.js';
import { requireKey } from './keys.js';

export type ColumnMetadata = EntityMetadata['columns'][number];

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
  readonly column: ColumnMetadata;
  /** Its name in messages: `Invoice.number`. */
  readonly label: string;
  readonly dateColumn: ColumnMetadata | undefined;
  readonly scopeColumn: ColumnMetadata | undefined;
}

/** Every declared column by the class that declares it. Inherited and embedded columns keep that class. */
const declared = new Map<unknown, Map<string | symbol, SeriesMark>>();

/** Adds a column. */
export function declareSeriesColumn(target: unknown, property: string | symbol, mark: SeriesMark): void {
  const marks = declared.get(target) ?? new Map<string | symbol, SeriesMark>();
  declared.set(target, marks.set(property, mark));
}

/** Returns the columns of an entity that hold numbers of series. @throws InvalidOptionError if it names no column */
export function seriesColumnsOf(metadata: EntityMetadata): SeriesColumn[] {
  return metadata.columns.flatMap((column) => {
    const mark = declared.get(column.target)?.get(column.propertyName);
    if (!mark || !isDeclaredFor(metadata.target, column.target)) return [];
    const label = `${metadata.name}.${column.propertyPath}`;
    const columnOf = (option: 'date' | 'scope'): ColumnMetadata | undefined => {
      const property = mark[option];
      return typeof property === 'string'
        ? columnNamed(metadata, property, `${label}: ${option}`)
        : undefined;
    };
    return [{ ...mark, column, label, dateColumn: columnOf('date'), scopeColumn: columnOf('scope') }];
  });
}

/** Returns the scope of a row; empty if its series has none. @throws InvalidOptionError */
export function scopeIn({ label, scope, scopeColumn }: SeriesColumn, row: ObjectLiteral): string {
  if (scope === undefined) return '';
  const value: unknown = typeof scope === 'function' ? scope(row as never) : scopeColumn?.getEntityValue(row);
  return requireKey(`${label}: scope`, value);
}

/** Returns the date of a row. @throws InvalidOptionError if it is missing, or TypeORM would write another date */
export function dateIn(
  { label, dateColumn, definition }: SeriesColumn,
  row: ObjectLiteral,
): CivilDate | undefined {
  if (dateColumn === undefined) return undefined;
  const value: unknown = dateColumn.getEntityValue(row);
  const option = `${label}: ${dateColumn.propertyPath}`;
  if (value === undefined || value === null) {
    const remedy =
      "Set the document's date before the INSERT, or leave out date to take that of the database.";
    throw new InvalidOptionError(option, value, 'has no date', remedy);
  }
  if (value instanceof Date && dateColumn.type === 'date') {
    const remedy = "Set a date such as '2026-12-31': TypeORM writes a Date in the time zone of the process.";
    throw new InvalidOptionError(option, value, 'is a Date in a column of type date', remedy);
  }
  return definition.dateOf(option, value);
}

/** @throws InvalidOptionError */
function columnNamed(metadata: EntityMetadata, property: string, option: string): ColumnMetadata {
  const column = metadata.findColumnWithPropertyName(property);
  if (column) return column;
  throw new InvalidOptionError(option, property, 'is not a column', `Name a column of ${metadata.name}.`);
}

/** The parent in single table inheritance also lists its children's columns, which its own rows leave empty. */
function isDeclaredFor(entity: unknown, declaring: unknown): boolean {
  if (typeof entity !== 'function' || typeof declaring !== 'function') return true;
  return entity === declaring || entity.prototype instanceof declaring;
}
