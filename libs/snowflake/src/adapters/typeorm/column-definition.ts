import type { ColumnOptions, EntitySchemaColumnOptions } from 'typeorm';
import { DEFAULT_INSTANCE } from '../../core/ids/id-source-name.js';
import { InvalidOptionError } from '../../core/errors/input-errors.js';
import {
  checkedOptions,
  flag,
  oneOf,
  type OptionRules,
  text,
  unchecked,
} from '../../core/options/option-rule.js';
import type { SnowflakeMark } from './snowflake-marks.js';

/**
 * Type of a column that holds IDs.
 *
 * - `bigint`: keeps the numeric order.
 * - `varchar`: 20 characters, for drivers that can't read a bigint exactly. It sorts IDs as text, so a shorter ID from the first years
 *   can sort after a later one.
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
   * A column that refers to an ID needs the type of that ID. TypeORM sets it for a foreign key.
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
   * If `false`, TypeORM silently omits the column from the UPDATE.
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
   * If `false`, TypeORM silently omits the column from the UPDATE. An `orUpdate([…])` that names the column writes it anyway.
   *
   * @defaultValue `false`
   */
  readonly update?: boolean;
  /**
   * Name of the instance that generates the IDs, as in `SnowflakeModule.forRoot({ name })`.
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

/** TypeORM's own options, which it checks. */
const OF_TYPEORM = {
  name: unchecked<string | undefined>(),
  comment: unchecked<string | undefined>(),
  unique: unchecked<boolean | undefined>(),
  select: unchecked<boolean | undefined>(),
  primaryKeyConstraintName: unchecked<string | undefined>(),
};
const TYPE = oneOf<SnowflakeColumnType>('bigint', 'varchar').or('bigint');
const ID_OPTIONS = {
  ...OF_TYPEORM,
  type: TYPE,
  primary: flag().or(true),
  update: flag().or(false),
  instance: text(
    /./s,
    'must be the name of a Snowflake instance',
    `Omit it for '${DEFAULT_INSTANCE}', or use the name given to SnowflakeModule.forRoot({ name }).`,
  ).or(DEFAULT_INSTANCE),
} satisfies OptionRules<SnowflakeIdOptions>;
const COLUMN_OPTIONS = {
  ...OF_TYPEORM,
  nullable: unchecked<boolean | undefined>(),
  insert: unchecked<boolean | undefined>(),
  type: TYPE,
  primary: flag().or(false),
  update: flag().optional(),
} satisfies OptionRules<SnowflakeColumnOptions>;

/** @throws InvalidOptionError */
export function idDefinition(given: SnowflakeIdOptions): ColumnDefinition {
  const { instance, primary, update, type, ...others } = checkedOptions('options', given, ID_OPTIONS);
  return {
    options: { ...withoutUndefined(others), ...storage(type), primary, update },
    mark: { source: { kind: 'maker', name: instance } },
  };
}

/** @throws InvalidOptionError */
export function referenceDefinition(given: SnowflakeColumnOptions): ColumnDefinition {
  const { type, primary, update = !primary, ...others } = checkedOptions('options', given, COLUMN_OPTIONS);
  if (primary && others.nullable) {
    throw new InvalidOptionError('nullable', true, 'conflicts with primary: true', 'Remove one of the two.');
  }
  return { options: { ...withoutUndefined(others), ...storage(type), primary, update }, mark: {} };
}

/** The longest ID has 19 digits. */
function storage(type: SnowflakeColumnType): Pick<ColumnDefinition['options'], 'type' | 'length'> {
  return type === 'bigint' ? { type } : { type, length: 20 };
}

/** TypeORM takes some options that are there and undefined for given ones. */
function withoutUndefined<Options extends object>(options: Options): Options {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Options;
}
