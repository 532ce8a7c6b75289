import type { ColumnOptions, EntitySchemaColumnOptions } from 'typeorm';
import { DEFAULT_INSTANCE } from '../core/ids/id-source-name.js';
import { InvalidOptionError } from '../core/errors/input-errors.js';
import { requireOptions } from '../core/options/option-checks.js';
import type { SnowflakeMark } from './declared-columns.js';

/**
 * Type of a column that holds IDs.
 *
 * - `bigint`: keeps the numeric order.
 * - `varchar`: 20 characters, for drivers that can't read a bigint exactly.
 */
export type SnowflakeColumnType = 'bigint' | 'varchar';

/** Options of {@link SnowflakeColumn}. Options without a description here work as in TypeORM. */
export interface SnowflakeColumnOptions extends Pick<
  ColumnOptions,
  'name' | 'comment' | 'unique' | 'select' | 'primaryKeyConstraintName' | 'nullable' | 'insert'
> {
  /**
   * Type of the column in the database.
   *
   * A column that refers to an ID needs the type of the ID; a foreign key gets it from TypeORM. A `varchar` sorts IDs as
   * text, so a row with a shorter ID, from the first years, can sort after a later row.
   *
   * @defaultValue `'bigint'`
   */
  readonly type?: SnowflakeColumnType;
  /**
   * Whether the column is part of a primary key that you set yourself.
   *
   * @defaultValue `false`
   */
  readonly primary?: boolean;
  /**
   * Whether an UPDATE, or an `upsert` that finds the row, may write the column.
   *
   * If `false`, TypeORM silently omits the column from the UPDATE. An `orUpdate([…])` that names the column writes it in any
   * case.
   *
   * @defaultValue `true`; `false` with `primary`
   */
  readonly update?: boolean;
}

/** Options of {@link SnowflakeId}. Options without a description here work as in TypeORM. */
export interface SnowflakeIdOptions extends Omit<SnowflakeColumnOptions, 'nullable' | 'insert'> {
  /**
   * Whether the column is a primary key.
   *
   * @defaultValue `true`
   */
  readonly primary?: boolean;
  /**
   * Whether an UPDATE, or an `upsert` that finds the row, may write the column.
   *
   * If `false`, TypeORM silently omits the column from the UPDATE. An `orUpdate([…])` that names the column writes it in any
   * case.
   *
   * @defaultValue `false`
   */
  readonly update?: boolean;
  /**
   * Name of the instance that makes the IDs, as in `SnowflakeModule.forRoot({ name })`.
   * Bounds: a string that is not empty.
   *
   * @defaultValue `'default'`
   */
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
  return {
    options: { ...others, ...storage(type), primary, update },
    mark: { source: { kind: 'maker', name: instance } },
  };
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
