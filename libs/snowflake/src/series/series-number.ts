import { Column, type ColumnOptions } from 'typeorm';
import { InvalidOptionError, requireFunction, requireOptions } from '../core/index.js';
import { SERIES_OPTIONS, SeriesDefinition, type SeriesOptions } from '../core/series/index.js';
import { requireSeriesName } from './keys.js';
import { declareSeriesColumn } from './series-columns.js';

/** Options of {@link SeriesNumber}. `name` and `comment` work as in TypeORM's `@Column()`. */
export interface SeriesNumberOptions<Row extends object>
  extends SeriesOptions, Pick<ColumnOptions, 'name' | 'comment' | 'unique'> {
  /**
   * Name of the series. Columns of one series in several entities share its numbers, and have the same format.
   * Bounds: 1 to 64 characters of `A-Z a-z 0-9 _ . -`.
   */
  readonly series: string;
  /**
   * For whom the numbers of a row count, such as the tenant: a property of the entity, or a function.
   *
   * `series.audit()` filters by a property in the database; with a function it reads the rows of all scopes.
   *
   * @defaultValue all rows count together
   */
  readonly scope?: (keyof Row & string) | ((row: Row) => string | number);
  /**
   * Property of the entity that has the date of the document. It must be set before the INSERT.
   *
   * @defaultValue the date of the database's clock, in `zone`
   */
  readonly date?: keyof Row & string;
  /**
   * Returns the key of the document. If the INSERT is repeated after the reply to a COMMIT got lost, it gets the same number.
   *
   * @defaultValue each INSERT gets a number
   */
  readonly document?: (row: Row) => string | number;
}

const COLUMN_OPTIONS = {
  ...SERIES_OPTIONS,
  series: true,
  scope: true,
  date: true,
  document: true,
  name: true,
  comment: true,
  unique: true,
} satisfies Record<keyof SeriesNumberOptions<object>, true>;

/**
 * Declares a column that gets the next number of a series in each INSERT. `SeriesSubscriber` assigns it, in the transaction of
 * the INSERT: a rollback takes the number back.
 *
 * ```ts
 * @SeriesNumber({
 *   series: 'invoice', format: 'INV-{year}-{number:5}', resets: 'year', zone: 'Europe/Berlin',
 *   scope: (invoice: Invoice) => invoice.tenantId,
 * })
 * number!: string;
 * ```
 *
 * - A value that your code sets is refused, because the series would make it again.
 * - `{field:branch}` in the format is the property `branch` of the row.
 * - An `upsert`, `orIgnore` or `orUpdate` that inserts no row takes a number in vain, unless `document` is the key of the row;
 *   `series.audit()` shows it.
 * - After an INSERT that failed, the transaction can't be committed.
 *
 * @throws InvalidOptionError at class definition, if an option is wrong
 */
export function SeriesNumber<Row extends object>(options: SeriesNumberOptions<Row>): PropertyDecorator {
  requireOptions('options', options, COLUMN_OPTIONS);
  const { series, scope, date, document, name, comment, unique, ...rules } = options;
  requireSeriesName(series);
  if (typeof scope !== 'function') requireProperty('scope', scope);
  if (document !== undefined) requireFunction('document', document);
  requireProperty('date', date);
  const definition = new SeriesDefinition(rules);
  const mark = { series, definition, scope, date, document };
  return (target, property) => {
    declareSeriesColumn(target.constructor, property, mark);
    const length = definition.maxLength;
    Column({ type: 'varchar', length, update: false, name, comment, unique })(target, property);
  };
}

/** @throws InvalidOptionError */
function requireProperty(option: string, value: unknown): void {
  if (value === undefined || (typeof value === 'string' && value !== '')) return;
  const remedy = "Name a property of the entity, for example 'issuedOn'.";
  throw new InvalidOptionError(option, value, 'is not the name of a property', remedy);
}
