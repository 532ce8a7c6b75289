import type { ColumnOptions, EntitySchemaColumnOptions } from 'typeorm';
import { DEFAULT_INSTANCE, InvalidOptionError, requireOptions } from '../core/index.js';
import type { SnowflakeMark } from './column-registry.js';

/** `bigint` keeps the numeric order; `varchar` (20 characters) is for drivers that can't read a bigint exactly. */
export type SnowflakeColumnType = 'bigint' | 'varchar';

/** Options of {@link SnowflakeColumn}. Options without a description here work as in TypeORM. */
export interface SnowflakeColumnOptions extends Pick<
  ColumnOptions,
  'name' | 'comment' | 'unique' | 'select' | 'primaryKeyConstraintName' | 'nullable' | 'insert'
> {
  /**
   * Type in the database: `bigint` (default) or `varchar`. A `varchar` sorts IDs as text, so a row with a shorter ID, from
   * the first years, can sort after a later row. Foreign keys to the column get the same type.
   */
  readonly type?: SnowflakeColumnType;
  /** Whether it is a primary key column. Default: true for `@SnowflakeId()`, false for `@SnowflakeColumn()`. */
  readonly primary?: boolean;
  /**
   * Whether UPDATE may write it. Default: false for `@SnowflakeId()` and for keys, so that an `upsert` doesn't change the
   * ID of an existing row. TypeORM then silently omits the column from the UPDATE.
   */
  readonly update?: boolean;
}

/** Options of {@link SnowflakeId}. Options without a description here work as in TypeORM. */
export interface SnowflakeIdOptions extends Omit<SnowflakeColumnOptions, 'nullable' | 'insert'> {
  /** Name of the instance that makes the IDs, as in `SnowflakeModule.forRoot({ name })`. Default: `'default'`. */
  readonly instance?: string;
}

/** The options for TypeORM's decorators and its EntitySchema, and the library's own data of the column. */
export interface ColumnDefinition {
  readonly options: Pick<EntitySchemaColumnOptions, keyof SnowflakeColumnOptions | 'length'>;
  readonly mark: SnowflakeMark;
}

const SHARED = names(
  'type',
  'primary',
  'update',
  'name',
  'comment',
  'unique',
  'select',
  'primaryKeyConstraintName',
);
const ID_OPTIONS = { ...SHARED, instance: true } satisfies Record<keyof SnowflakeIdOptions, true>;
const COLUMN_OPTIONS = { ...SHARED, nullable: true, insert: true } satisfies Record<
  keyof SnowflakeColumnOptions,
  true
>;

/** @throws InvalidOptionError */
export function idDefinition(given: SnowflakeIdOptions): ColumnDefinition {
  requireOptions('options', given, ID_OPTIONS);
  const { instance = DEFAULT_INSTANCE, primary = true, update = false, type, ...others } = given;
  if (typeof instance !== 'string' || instance === '') {
    throw new InvalidOptionError(
      'instance',
      instance,
      'must be the name of a Snowflake instance',
      `Omit it for '${DEFAULT_INSTANCE}', or use the name given to SnowflakeModule.forRoot({ name }).`,
    );
  }
  return { options: { ...others, ...storage(type), primary, update }, mark: { instance } };
}

/** @throws InvalidOptionError */
export function referenceDefinition(given: SnowflakeColumnOptions): ColumnDefinition {
  requireOptions('options', given, COLUMN_OPTIONS);
  const { type, primary = false, update = !primary, ...others } = given;
  if (primary && others.nullable) {
    throw new InvalidOptionError('nullable', true, 'conflicts with primary: true', 'Remove one of the two.');
  }
  return { options: { ...others, ...storage(type), primary, update }, mark: {} };
}

function storage(type: SnowflakeColumnType = 'bigint'): Pick<ColumnDefinition['options'], 'type' | 'length'> {
  if (type === 'bigint') return { type };
  // The longest ID has 19 digits.
  if (type === 'varchar') return { type, length: 20 };
  const remedy = "Use 'bigint', or 'varchar' for a driver that rounds a bigint.";
  throw new InvalidOptionError('type', type, 'is not a column type for IDs', remedy);
}

function names<Name extends string>(...all: readonly Name[]): Record<Name, true> {
  return Object.fromEntries(all.map((name) => [name, true])) as Record<Name, true>;
}
