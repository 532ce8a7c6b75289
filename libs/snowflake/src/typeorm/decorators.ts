import { Column } from 'typeorm';
import { InvalidOptionError } from '../core/index.js';
import {
  idDefinition,
  referenceDefinition,
  type SnowflakeColumnOptions,
  type SnowflakeIdOptions,
} from './column-definition.js';

/**
 * A primary key column (or with `primary: false` another column) whose IDs are made by a Snowflake instance.
 *
 * ```ts
 * @Entity() class Order { @SnowflakeId() id!: string }
 * ```
 *
 * The subscriber of the DataSource assigns the ID before an INSERT: in `save`, `insert`, `upsert`, the insert query
 * builder and cascades, to entities and plain objects alike. Where it stands:
 *
 * - `undefined` and `null` mean that the ID is missing. Everything else is an explicit ID, the number 0 too: a
 *   decimal string, a bigint or an exact number is kept (as a string); anything else, the empty string too, is
 *   refused with InvalidIdError (in `save`, which looks for the row first, possibly by the database).
 * - An ID is assigned once. After a failed or rolled-back `save` the entity keeps it, and a retry inserts the same
 *   one, so that a retry after a lost reply cannot insert the row twice.
 * - `upsert` and `orIgnore` that meet an existing row leave that row's ID alone, but the object at hand then carries an
 *   ID that is not in the database: read the row again by what else is unique in it, and do not pass the same object
 *   once more. `returning: ['id']` tells the ID when a single object is written; of several, each keeps the ID that was
 *   made for it, since nothing says which returned row belongs to which object. (TypeORM 0.3 does not look at
 *   `update: false` in an `upsert`: there, when one of its rows has an ID, or null for one, all existing rows get new
 *   IDs. Leave the property out of all of them.)
 * - An object belongs to one row. One that stands for two rows of an INSERT is refused with InvalidOptionError where
 *   they would share an ID next to the key. Inserted once more later, it still has its first ID, as in a retry.
 * - An embedded object that has an ID belongs to one row: one that several rows share gives them the same ID.
 * - A `@BeforeInsert()` method of the entity runs before all subscribers and does not see the ID yet.
 *
 * TypeORM calls no subscriber in these cases; set the ID yourself with `ids.nextId()`: `save(…, { listeners: false })`,
 * `callListeners(false)`, `into()` with the name of a table without an entity or with a column list that leaves the ID
 * out, `valuesFromSelect()`, SQL by hand. Where it is forgotten, the INSERT fails with MissingSubscriberError, or by the
 * NOT NULL constraint; only the `INSERT IGNORE` of MariaDB and MySQL that leaves the column out gives the row the ID 0. A
 * frozen object fails as well: nothing can be assigned to it.
 *
 * @throws InvalidOptionError at class definition, when an option is wrong or the property is declared as `number` or
 * `bigint`: a number rounds the ID, and TypeORM cannot handle a primary key that is a bigint
 */
export function SnowflakeId(options: SnowflakeIdOptions = {}): PropertyDecorator {
  return (target, property) => {
    requireStringProperty(target, property);
    const name = `${target.constructor.name}.${String(property)}`;
    Column(idDefinition(options, name, target.constructor))(target, property);
  };
}

/**
 * A column that holds the ID of another row: the same type as {@link SnowflakeId}, and nothing is generated.
 *
 * ```ts
 * @SnowflakeColumn() customerId!: string;
 * @SnowflakeColumn({ nullable: true }) parentId!: string | null;
 * ```
 *
 * @throws InvalidOptionError at class definition, as {@link SnowflakeId}
 */
export function SnowflakeColumn(options: SnowflakeColumnOptions = {}): PropertyDecorator {
  return (target, property) => {
    requireStringProperty(target, property);
    Column(referenceDefinition(options))(target, property);
  };
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
