import { Column } from 'typeorm';
import { DATA_SOURCE_INTEGRATION, InvalidOptionError } from '../core/index.js';
import {
  idDefinition,
  referenceDefinition,
  type ColumnDefinition,
  type SnowflakeColumnOptions,
  type SnowflakeIdOptions,
} from './column-definition.js';
import { declareColumn } from './column-registry.js';
import { typeOrmIntegration } from './typeorm-integration.js';

/**
 * Declares a primary key column (or with `primary: false` another column) whose IDs a Snowflake instance makes.
 *
 * ```ts
 * @Entity() class Order { @SnowflakeId() id!: string }
 * ```
 *
 * The subscriber of the DataSource assigns the ID before an INSERT: in `save`, `insert`, `upsert`, the insert query
 * builder and cascades, to entities and plain objects alike.
 *
 * - `undefined` and `null` mean that the ID is missing. Everything else is an explicit ID, the number 0 too: a
 *   decimal string, a bigint or an exact number is kept (as a string); anything else is refused with InvalidIdError.
 * - An ID is assigned once. After a failed or rolled-back `save` the entity keeps it, and a retry inserts the same
 *   one, so that a retry after a lost reply can't insert the row twice.
 * - A `@BeforeInsert()` method of the entity runs before all subscribers and does not see the ID yet.
 *
 * Where TypeORM calls no subscriber (`listeners: false`, `callListeners(false)`, `valuesFromSelect()`, SQL by hand), set
 * the ID yourself with `ids.nextId()`. docs/typeorm.md lists what the database does where it is forgotten.
 *
 * @throws InvalidOptionError at class definition, when an option is wrong or the property is declared as `number` or
 * `bigint`: a number rounds the ID, and TypeORM can't handle a primary key that is a bigint
 */
export function SnowflakeId(options: SnowflakeIdOptions = {}): PropertyDecorator {
  return (target, property) => declare(target, property, idDefinition(options));
}

/**
 * Declares a column that holds the ID of another row: the same type as {@link SnowflakeId}, and nothing is generated.
 *
 * ```ts
 * @SnowflakeColumn() customerId!: string;
 * @SnowflakeColumn({ nullable: true }) parentId!: string | null;
 * ```
 *
 * @throws InvalidOptionError at class definition, as {@link SnowflakeId}
 */
export function SnowflakeColumn(options: SnowflakeColumnOptions = {}): PropertyDecorator {
  return (target, property) => declare(target, property, referenceDefinition(options));
}

function declare(target: object, property: string | symbol, { options, mark }: ColumnDefinition): void {
  requireStringProperty(target, property);
  declareColumn(target.constructor, property, mark);
  Reflect.defineMetadata(DATA_SOURCE_INTEGRATION, typeOrmIntegration, target.constructor);
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
    `Declare it as \`${String(property)}!: string\`; turn it into a bigint with BigInt(…) where you calculate with it.`,
  );
}
