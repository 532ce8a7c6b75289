import type { ColumnOptions, EntitySchemaColumnOptions } from 'typeorm';
import { DEFAULT_GENERATOR, InvalidOptionError, registerDataSourceIntegration } from '../core/index.js';
import { searchIdsByIn } from './ids-by-in.js';
import { keepKeysOfInserts } from './inserted-keys.js';
import {
  GeneratedIdTransformer,
  SnowflakeIdTransformer,
  type SnowflakeColumnType,
} from './snowflake-id-transformer.js';
import { typeOrmIntegration } from './typeorm-integration.js';
import { checkIdsOfUpdates } from './updated-ids.js';
import { keepKeysOfUpdates } from './updated-keys.js';

/** Characters of a `varchar` column: 19 digits are the longest ID. */
const VARCHAR_LENGTH = 20;

interface ColumnTypeOption {
  /**
   * Type in the database: `bigint` (default), or `varchar`. A `varchar` sorts IDs of different length as text, so
   * that a row of the first years can sort after a later one; foreign keys to it get the same type.
   */
  readonly type?: SnowflakeColumnType;
}

/** Options of {@link SnowflakeId}. Those that are not described here are TypeORM's own of the same name. */
export interface SnowflakeIdOptions
  extends
    ColumnTypeOption,
    Pick<ColumnOptions, 'name' | 'comment' | 'unique' | 'select' | 'primaryKeyConstraintName'> {
  /** Whether it is a primary key column. Default: true. */
  readonly primary?: boolean;
  /**
   * Whether UPDATE may write it. Default: false, so that an `upsert` of several rows, of which one has an explicit ID,
   * gives no row that exists another ID. TypeORM then leaves the column out without a word.
   */
  readonly update?: boolean;
  /** Name of the instance that makes the IDs, as in `SnowflakeModule.forRoot({ name })`. Default: `'default'`. */
  readonly generator?: string;
}

/** Options of {@link SnowflakeColumn}. Those that are not described here are TypeORM's own of the same name. */
export interface SnowflakeColumnOptions
  extends
    ColumnTypeOption,
    Pick<
      ColumnOptions,
      'name' | 'comment' | 'nullable' | 'unique' | 'select' | 'insert' | 'primaryKeyConstraintName'
    > {
  /** Whether it is part of a primary key whose value the application sets. Default: false. */
  readonly primary?: boolean;
  /**
   * Whether UPDATE may write it. Default: true, and false where `primary` is set, so that an `upsert` gives no row that
   * exists another key. TypeORM then leaves the column out without a word.
   */
  readonly update?: boolean;
}

/** What TypeORM's decorators and its EntitySchema both take. */
export type ColumnDefinition = Pick<
  EntitySchemaColumnOptions,
  keyof SnowflakeColumnOptions | 'length' | 'transformer'
>;

/**
 * @param column what people call the column in messages
 * @param owner the class that declares it
 * @throws InvalidOptionError
 */
export function idDefinition(options: SnowflakeIdOptions, column: string, owner?: object): ColumnDefinition {
  const { generator = DEFAULT_GENERATOR, primary = true, update = false, type, ...others } = options;
  if (typeof generator !== 'string' || generator === '') {
    throw new InvalidOptionError(
      'generator',
      generator,
      'must be the name of a Snowflake instance',
      `Leave it out for '${DEFAULT_GENERATOR}', or use the name given to SnowflakeModule.forRoot({ name }).`,
    );
  }
  return {
    ...others,
    ...storage(type),
    primary,
    update,
    transformer: new GeneratedIdTransformer(generator, column, owner, type),
  };
}

/**
 * @throws InvalidOptionError
 */
export function referenceDefinition(options: SnowflakeColumnOptions): ColumnDefinition {
  const { type, primary = false, update = !primary, ...others } = options;
  if (primary && others.nullable) {
    throw new InvalidOptionError(
      'nullable',
      true,
      'cannot stand next to primary: true',
      'Leave one of them out.',
    );
  }
  return { ...others, ...storage(type), primary, update, transformer: new SnowflakeIdTransformer(type) };
}

function storage(type: SnowflakeColumnType = 'bigint'): Pick<ColumnDefinition, 'type' | 'length'> {
  // Not when this module is loaded: an import of it alone must have no effect.
  registerDataSourceIntegration(typeOrmIntegration);
  searchIdsByIn();
  keepKeysOfInserts();
  keepKeysOfUpdates();
  checkIdsOfUpdates();
  if (type === 'bigint') return { type };
  if (type === 'varchar') return { type, length: VARCHAR_LENGTH };
  throw new InvalidOptionError(
    'type',
    type,
    'is no type that holds an ID',
    "Use 'bigint', or 'varchar' for a driver that rounds a bigint.",
  );
}
