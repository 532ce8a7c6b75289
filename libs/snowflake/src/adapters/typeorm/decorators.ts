import { Column } from 'typeorm';
import { InvalidOptionError } from '../../core/errors/input-errors.js';
import { addDatabaseAdapter } from '../../kit/database-adapters.js';
import {
  idDefinition,
  referenceDefinition,
  type ColumnDefinition,
  type SnowflakeColumnOptions,
  type SnowflakeIdOptions,
} from './column-definition.js';
import type { IdPropertyDecorator } from './id-property-decorator.js';
import { declareColumn } from './snowflake-marks.js';
import { typeOrmAdapter } from './typeorm-adapter.js';

/**
 * Declares a primary key column whose IDs a Snowflake instance generates (or another column, with `primary: false`).
 *
 * The subscriber of the DataSource assigns the ID before an INSERT: in `save`, `insert`, `upsert`, the insert query
 * builder and cascades, to entities and plain objects alike.
 *
 * - `undefined` and `null` mean that the ID is missing. Everything else is an explicit ID, which must be a decimal string; anything
 *   else is refused with InvalidIdError. TypeORM compares keys as strings, so it would insert the row of a bigint again. Columns
 *   outside of the key also take a bigint or an exact number, even 0, and keep it as a string.
 * - An ID is assigned once. After a failed or rolled-back `save`, the entity keeps its ID, and a retry inserts the same ID.
 *   So a retry after a lost reply can't insert the row twice.
 * - A `@BeforeInsert()` method of the entity runs before all subscribers and does not see the ID yet.
 *
 * If TypeORM calls no subscriber (`listeners: false`, `callListeners(false)`, `valuesFromSelect()`, hand-written SQL), set
 * the ID yourself with `ids.nextId()`. "TypeORM" in the documentation shows what the
 * database does if you forget it.
 *
 * A property declared as `number` or `bigint` doesn't compile: a number rounds the ID, and TypeORM can't handle a primary key
 * that is a bigint.
 *
 * @throws InvalidOptionError at class definition, if an option is wrong or the property is declared as `number` or `bigint`
 * @example
 * ```ts
 * // order.entity.ts
 * @Entity('orders')
 * export class Order {
 *   @SnowflakeId() id!: string; // a bigint, assigned before every INSERT
 *   @SnowflakeColumn() customerId!: string; // holds the ID of another row
 * }
 * ```
 */
export function SnowflakeId(options: SnowflakeIdOptions = {}): IdPropertyDecorator {
  return (target: object, property: string | symbol) =>
    declareProperty(target, property, idDefinition(options));
}

/**
 * Declares a column that holds the ID of another row. It has the same type as a column of {@link SnowflakeId}, but no ID is generated
 * for it.
 *
 * @throws InvalidOptionError at class definition, as {@link SnowflakeId}
 * @example
 * ```ts
 * // order.entity.ts
 * @SnowflakeColumn() customerId!: string;
 * @SnowflakeColumn({ nullable: true }) replacedBy!: string | null;
 * ```
 */
export function SnowflakeColumn(options: SnowflakeColumnOptions = {}): IdPropertyDecorator {
  return (target: object, property: string | symbol) =>
    declareProperty(target, property, referenceDefinition(options));
}

/** Declares a decorated property as a column. @throws InvalidOptionError if it is declared as `number` or `bigint` */
export function declareProperty(
  target: object,
  property: string | symbol,
  { options, mark }: ColumnDefinition,
): void {
  requireStringProperty(target, property);
  declareColumn(target.constructor, property, mark);
  addDatabaseAdapter(typeOrmAdapter);
  Column(options)(target, property);
}

function requireStringProperty(target: object, property: string | symbol): void {
  const declared: unknown = Reflect.getMetadata('design:type', target, property);
  const refused = [Number, BigInt].find((type) => type === declared);
  if (refused === undefined) return;
  throw new InvalidOptionError(
    `${target.constructor.name}.${String(property)}`,
    refused.name.toLowerCase(),
    'must be a property of type string',
    `Declare it as \`${String(property)}!: string\`; convert it with BigInt(…) for calculations.`,
  );
}
