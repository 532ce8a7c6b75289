import { Column, type ColumnOptions } from 'typeorm';
import { namingOwner } from 'nestjs-snowflake/internal/core/options/option-owner';
import {
  callback,
  checkedBy,
  checkedOptions,
  type OptionRules,
  text,
  unchecked,
} from 'nestjs-snowflake/internal/core/options/option-rule';
import { SERIES_OPTIONS, type SeriesOptions } from '../core/series-options.js';
import { SeriesDefinition } from '../core/series-definition.js';
import { SERIES_NAME } from '../core/keys.js';
import { SERIES_COLUMNS, type SeriesMark } from './series-columns.js';

/** Options of {@link SeriesNumber}. `name` and `comment` work as in TypeORM's `@Column()`. */
export interface SeriesNumberOptions<Row extends object>
  extends SeriesOptions, Pick<ColumnOptions, 'name' | 'comment' | 'unique'> {
  /**
   * Name of the series. Columns of several entities with the same series share its numbers, and need the same format.
   * Bounds: 1 to 64 characters of `A-Z a-z 0-9 _ . -`.
   */
  readonly series: string;
  /**
   * Gives each value its own numbers, such as each tenant: a property of the entity, or a function of the row.
   *
   * With a property, `series.audit()` filters in the database. With a function, it reads the rows of all scopes with
   * the keys of their relations, so the function can use only the key of a relation.
   *
   * @defaultValue all rows share the numbers
   */
  readonly scope?: (keyof Row & string) | ((row: Row) => string | number);
  /**
   * Property of the entity that holds the date of the document. It must be set before the INSERT.
   *
   * A column of type `date` needs a date such as `'2026-12-31'`. A timestamp column needs a `Date`, or a timestamp with its offset.
   * Anything else is refused, because the database would store another date than the number shows.
   *
   * @defaultValue the date of the database's clock, in `zone`
   */
  readonly date?: keyof Row & string;
  /**
   * Returns the key of the document. If you repeat an INSERT because the reply to a COMMIT was lost, the row gets the same number.
   *
   * A `save()` that finds its row executes no INSERT and doesn't set the property, so read the row to get its number. The INSERT of a
   * document whose number was voided is refused.
   *
   * The key can be an ID of `@SnowflakeId()` or `@SegmentId()`: the number is taken when the ID is assigned.
   *
   * @defaultValue each INSERT gets a number
   */
  readonly document?: (row: Row) => string | number;
}

/** A column can be of any entity, so the compiler knows the properties of none. */
type AnyRow = Record<string, unknown>;
type KeyOfRow = (row: AnyRow) => string | number;

const PROPERTY = text(
  /./s,
  'is not the name of a property',
  "Name a property of the entity, for example 'issuedOn'.",
);

const COLUMN_OPTIONS = {
  ...SERIES_OPTIONS,
  series: SERIES_NAME,
  scope: checkedBy((option, value) =>
    typeof value === 'function' ? (value as KeyOfRow) : PROPERTY.check(option, value),
  ).optional(),
  date: PROPERTY.optional(),
  document: callback<KeyOfRow>().optional(),
  name: unchecked<ColumnOptions['name']>(),
  comment: unchecked<ColumnOptions['comment']>(),
  unique: unchecked<ColumnOptions['unique']>(),
} satisfies OptionRules<SeriesNumberOptions<AnyRow>>;

/**
 * Declares a column that gets the next number of a series in each INSERT. `SeriesSubscriber` assigns it, in the transaction of
 * the INSERT: a rollback takes the number back.
 *
 * - In an embedded class, functions get the row of the whole entity, which `Row` describes. A property is looked for in the
 *   embedded class first: `@SeriesNumber<Invoice & Paper>({ …, date: 'issuedOn' })`.
 * - A value that your code sets is refused, because the series would issue it again.
 * - `{field:branch}` in the format is the property `branch` of the row.
 * - An `upsert`, `orIgnore` or `orUpdate` that inserts no row uses up a number, unless `document` is the key of the
 *   row. `series.audit()` shows such numbers.
 * - After an INSERT that failed, the transaction can't be committed.
 *
 * @throws InvalidOptionError at class definition, if an option is wrong
 * @example
 * ```ts
 * // invoice.entity.ts
 * @SeriesNumber<Invoice>({
 *   series: 'invoice',
 *   format: 'INV-{year}-{number:5}', // INV-2026-00042
 *   resets: 'year', zone: 'Europe/Berlin',
 *   scope: 'tenantId', // each tenant has its own numbers
 * })
 * number!: string;
 * ```
 */
export function SeriesNumber<Row extends object>(options: SeriesNumberOptions<Row>): PropertyDecorator {
  return (target, property) => {
    const owner = `${target.constructor.name}.${String(property)}`;
    const { mark, column } = namingOwner(owner, () => columnOf(options));
    SERIES_COLUMNS.add(target.constructor, property, mark);
    Column(column)(target, property);
  };
}

/** @throws InvalidOptionError */
function columnOf(options: object): { mark: SeriesMark; column: ColumnOptions } {
  const checked = checkedOptions('options', options, COLUMN_OPTIONS);
  const { series, scope, date, document, name, comment, unique, ...rules } = checked;
  const definition = new SeriesDefinition(rules);
  return {
    mark: { series, definition, scope, date, document },
    column: { type: 'varchar', length: definition.maxLength, update: false, name, comment, unique },
  };
}
