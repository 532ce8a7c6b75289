import { InstanceChecker, type EntitySchema, type EntitySchemaColumnOptions } from 'typeorm';
import { InvalidOptionError } from '../../core/errors/input-errors.js';
import { addDatabaseAdapter } from '../../kit/database-adapters.js';
import {
  idDefinition,
  referenceDefinition,
  type ColumnDefinition,
  type SnowflakeColumnOptions,
  type SnowflakeIdOptions,
} from './column-definition.js';
import { declareColumn } from './snowflake-marks.js';
import { MARK, marksIn } from './schema-marks.js';
import { typeOrmAdapter } from './typeorm-adapter.js';

/**
 * Declares {@link SnowflakeId} in an `EntitySchema`. Wrap the schema in {@link snowflakeSchema}.
 *
 * @throws InvalidOptionError
 */
export function snowflakeIdColumn(options: SnowflakeIdOptions = {}): EntitySchemaColumnOptions {
  return marked(idDefinition(options));
}

/**
 * Declares {@link SnowflakeColumn} in an `EntitySchema`. Wrap the schema in {@link snowflakeSchema}.
 *
 * @throws InvalidOptionError
 */
export function snowflakeColumn(options: SnowflakeColumnOptions = {}): EntitySchemaColumnOptions {
  return marked(referenceDefinition(options));
}

/**
 * Registers the Snowflake columns of an `EntitySchema` and of the schemas embedded in it, and returns the same schema.
 *
 * @throws InvalidOptionError if two schemas of the same name use different instances
 * @example
 * ```ts
 * export const OrderSchema = snowflakeSchema(
 *   new EntitySchema<Order>({ name: 'Order', columns: { id: snowflakeIdColumn(), customerId: snowflakeColumn() } }),
 * );
 * ```
 */
export function snowflakeSchema<Entity>(schema: EntitySchema<Entity>): EntitySchema<Entity> {
  if (!InstanceChecker.isEntitySchema(schema)) {
    const remedy = 'Pass new EntitySchema({ … }).';
    throw new InvalidOptionError('schema', schema, 'is not an EntitySchema', remedy);
  }
  for (const { target, property, mark } of marksIn(schema)) declareColumn(target, property, mark);
  return schema;
}

function marked({ options, mark }: ColumnDefinition): EntitySchemaColumnOptions {
  addDatabaseAdapter(typeOrmAdapter);
  return Object.assign(options, { [MARK]: mark });
}
