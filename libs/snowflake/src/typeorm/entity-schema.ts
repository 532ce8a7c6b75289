import type { EntitySchemaColumnOptions } from 'typeorm';
import {
  idDefinition,
  referenceDefinition,
  type SnowflakeColumnOptions,
  type SnowflakeIdOptions,
} from './column-definition.js';

/**
 * {@link SnowflakeId} for an `EntitySchema`. Every column needs a call of its own.
 *
 * ```ts
 * new EntitySchema({ name: 'Order', columns: { id: snowflakeIdColumn(), customerId: snowflakeColumn() } })
 * ```
 *
 * @throws InvalidOptionError
 */
export function snowflakeIdColumn(options: SnowflakeIdOptions = {}): EntitySchemaColumnOptions {
  const name = options.name === undefined ? 'A column' : `The column ${options.name}`;
  return idDefinition(options, `${name} of an EntitySchema`);
}

/**
 * {@link SnowflakeColumn} for an `EntitySchema`.
 *
 * @throws InvalidOptionError
 */
export function snowflakeColumn(options: SnowflakeColumnOptions = {}): EntitySchemaColumnOptions {
  return referenceDefinition(options);
}
