import { seeDocs } from '../../core/see-docs.js';
import { InvalidOptionError } from '../../core/errors/input-errors.js';
import { readId, writtenId } from '../../core/ids/exact-id.js';
import { requireMethods } from '../../core/options/option-checks.js';

/** On the prototype of the type, which a copy of the type keeps. */
export const SNOWFLAKE = Symbol.for('nestjs-snowflake:mikro-orm');

/** The part of MikroORM's `BigIntType` that the library extends. */
export interface BigIntTypeLike {
  convertToDatabaseValue(value: never): unknown;
  convertToJSValue(value: never): unknown;
}

/** The part of `@mikro-orm/core` that the library uses. */
export interface MikroOrmCore<Type extends BigIntTypeLike> {
  readonly BigIntType: new (mode: 'string') => Type;
  readonly Utils: { getORMVersion(): string };
}

/** A type of MikroORM that holds strings in the app. `defineEntity()` infers the type of the property from all its methods. */
export interface ExactType {
  convertToDatabaseValue(value: string | null | undefined): string | null | undefined;
  convertToJSValue(value: string | bigint | null | undefined): string | null | undefined;
  toJSON(value: string | null | undefined): string | null | undefined;
  fromJSON?(value: unknown): string | null | undefined;
}

/** Options of a property that holds an ID. */
export interface SnowflakeProperty<Type> {
  type: Type & ExactType;
}

/** Options of a primary key that gets IDs. */
export interface SnowflakeKeyProperty<Type> extends SnowflakeProperty<Type> {
  primary: true;
  autoincrement: false;
  /** On MySQL and MariaDB, MikroORM would declare keys as unsigned, which no other column for IDs is. */
  unsigned: false;
  onCreate: () => string;
}

/** Options for the properties of entities, for decorators, `EntitySchema` and `defineEntity()`. */
export interface SnowflakeProperties<Type> {
  /** Returns the options of a primary key: a `bigint` column without a sequence, and a new ID for each new entity. */
  readonly snowflakeKey: () => SnowflakeKeyProperty<Type>;
  /** Returns the options of a property that holds an ID of another table. A relation to an entity needs none. */
  readonly snowflakeReference: () => SnowflakeProperty<Type>;
}

/**
 * Returns the options of properties that hold IDs: `bigint` columns, and decimal strings in the app. Refuses a value
 * that the driver or JSON has rounded, when reading and when writing.
 *
 * @param core the package `@mikro-orm/core` of the app, 6.6.16 or later, or 7.1.13 or later
 * @param ids generates the IDs of new entities
 * @throws InvalidOptionError
 * @example
 * ```ts
 * import * as core from '@mikro-orm/core';
 *
 * export const ids = new LateIdMaker();
 * export const { snowflakeKey, snowflakeReference } = snowflakeProperties(core, ids);
 * // In an entity: @PrimaryKey(snowflakeKey()) id!: string
 * ```
 */
export function snowflakeProperties<Type extends BigIntTypeLike>(
  core: MikroOrmCore<Type>,
  ids: { nextId(): string },
): SnowflakeProperties<Type> {
  requireCore(core);
  requireMethods('ids', ids, ['nextId'], 'Pass a LateIdMaker.');
  const Base = core.BigIntType as unknown as new (mode: 'string') => ExactType;

  class SnowflakeType extends Base {
    get [SNOWFLAKE](): true {
      return true;
    }

    override convertToDatabaseValue(value: string | null | undefined): string | null | undefined {
      // Also gets conditions such as { $in: [] }, when MikroORM looks for an entity that it has already read.
      return typeof value === 'object' || value === undefined
        ? super.convertToDatabaseValue(value)
        : writtenId(value);
    }

    override convertToJSValue(value: string | bigint | null | undefined): string | null | undefined {
      return value === null || value === undefined ? value : readId(value);
    }
  }

  // Each property needs its own type, because MikroORM stores the property in it.
  const snowflakeReference = () => ({ type: new SnowflakeType('string') as unknown as Type & ExactType });
  const onCreate = () => ids.nextId();
  return {
    snowflakeReference,
    snowflakeKey: () => ({
      ...snowflakeReference(),
      primary: true,
      autoincrement: false,
      unsigned: false,
      onCreate,
    }),
  };
}

/**
 * Refuses MikroORM 7.1.10, whose `em.upsert()` overwrites the key of an existing row with what `onCreate` returns. 7.1.13 doesn't.
 *
 * @throws InvalidOptionError if it is not MikroORM, or an older version than those that are tested
 */
function requireCore(core: MikroOrmCore<BigIntTypeLike>): void {
  requireMethods(
    'core',
    core,
    ['BigIntType', 'Utils'],
    "Pass the package: import * as core from '@mikro-orm/core'.",
  );
  const version = core.Utils.getORMVersion();
  // A bundled MikroORM 6 returns 'N/A', which is not a number here and passes.
  const [major = NaN, minor = 0, patch = 0] = version.split('.').map((part) => parseInt(part, 10));
  const oldest = major < 7 ? 6_006_016 : 7_001_013;
  if (!(major * 1_000_000 + minor * 1_000 + patch < oldest)) return;
  throw new InvalidOptionError(
    'core',
    version,
    'is a version of MikroORM that is not tested, or that changes the keys of rows in em.upsert()',
    `Update to MikroORM 6.6.16 or later, or to 7.1.13 or later. ${seeDocs('guides/other-orms', 'MikroORM')}`,
  );
}
