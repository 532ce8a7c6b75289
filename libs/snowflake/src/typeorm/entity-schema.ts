import type { EntitySchema, EntitySchemaColumnOptions } from 'typeorm';
import { DATA_SOURCE_INTEGRATION } from '../core/index.js';
import {
  idDefinition,
  referenceDefinition,
  type ColumnDefinition,
  type SnowflakeColumnOptions,
  type SnowflakeIdOptions,
} from './column-definition.js';
import { declareColumn, type SnowflakeMark } from './column-registry.js';
import { typeOrmIntegration } from './typeorm-integration.js';

/** A symbol survives `{ ...options }`; TypeORM copies the options that it knows, so {@link snowflakeSchema} reads it. */
const MARK = Symbol.for('nestjs-snowflake:column');

/** What is read of a schema here: an embedded one has other type parameters. */
interface SchemaLike {
  readonly options: {
    readonly name: string;
    readonly target?: unknown;
    readonly columns: object;
    readonly embeddeds?: object;
  };
}

/**
 * Declares {@link SnowflakeId} in an `EntitySchema`, which has to be wrapped in {@link snowflakeSchema}.
 *
 * @throws InvalidOptionError
 */
export function snowflakeIdColumn(options: SnowflakeIdOptions = {}): EntitySchemaColumnOptions {
  return marked(idDefinition(options));
}

/**
 * Declares {@link SnowflakeColumn} in an `EntitySchema`, which has to be wrapped in {@link snowflakeSchema}.
 *
 * @throws InvalidOptionError
 */
export function snowflakeColumn(options: SnowflakeColumnOptions = {}): EntitySchemaColumnOptions {
  return marked(referenceDefinition(options));
}

/**
 * Makes the Snowflake columns of an `EntitySchema`, and of the schemas embedded in it, known to the library. Returns
 * the same schema.
 *
 * ```ts
 * export const OrderSchema = snowflakeSchema(
 *   new EntitySchema<Order>({ name: 'Order', columns: { id: snowflakeIdColumn(), customerId: snowflakeColumn() } }),
 * );
 * ```
 *
 * @throws InvalidOptionError when two schemas of one name want IDs of different instances
 */
export function snowflakeSchema<Entity>(schema: EntitySchema<Entity>): EntitySchema<Entity> {
  for (const { target, property, mark } of marksIn(schema)) declareColumn(target, property, mark);
  const { target } = schema.options;
  for (const marked of [schema, ...(typeof target === 'function' ? [target] : [])]) {
    Reflect.defineMetadata(DATA_SOURCE_INTEGRATION, typeOrmIntegration, marked);
  }
  return schema;
}

/** Whether somebody forgot {@link snowflakeSchema}. */
export function isUnwrapped(schema: SchemaLike): boolean {
  return !Reflect.hasOwnMetadata(DATA_SOURCE_INTEGRATION, schema) && marksIn(schema).length > 0;
}

interface MarkedProperty {
  readonly target: unknown;
  readonly property: string;
  readonly mark: SnowflakeMark;
}

function marksIn({
  options: { name, target = name, columns, embeddeds = {} },
}: SchemaLike): MarkedProperty[] {
  const own = Object.entries(columns).flatMap(([property, column]: [string, { [MARK]?: SnowflakeMark }]) => {
    const mark = column[MARK];
    return mark === undefined ? [] : [{ target, property, mark }];
  });
  const embedded = Object.values(embeddeds) as { readonly schema?: SchemaLike }[];
  return [...own, ...embedded.flatMap(({ schema }) => (schema ? marksIn(schema) : []))];
}

function marked({ options, mark }: ColumnDefinition): EntitySchemaColumnOptions {
  return Object.assign(options, { [MARK]: mark });
}
