import { getMetadataArgsStorage, type ValueTransformer } from 'typeorm';
import { MissingSubscriberError } from '../core/index.js';
import { exactDecimal } from './given-id.js';

/** `bigint` keeps the numeric order; `varchar` (20 characters) is for drivers that cannot read a bigint exactly. */
export type SnowflakeColumnType = 'bigint' | 'varchar';

/**
 * Gives an ID the same type, a decimal string, whatever the driver or the caller has. It never changes the value, so
 * a foreign key column to which TypeORM does not pass the transformer on holds the same IDs. TypeORM has no room for
 * marks of other libraries on a column; the instance of the transformer is the mark of a Snowflake column.
 *
 * TypeORM calls {@link to} for values that are written and for operands of find operators alike: SQL text of `Raw`
 * and patterns of `Like` have to pass. A string is therefore checked where it is inserted or updated.
 */
export class SnowflakeIdTransformer implements ValueTransformer {
  /** @param columnType type of the column in the database: text has another order than time */
  constructor(readonly columnType: SnowflakeColumnType = 'bigint') {}

  /**
   * @throws InvalidIdError for a number beyond Number.MAX_SAFE_INTEGER
   */
  to(value: unknown): unknown {
    if (typeof value === 'bigint') return value.toString();
    if (typeof value === 'number') return exactDecimal(value);
    if (Array.isArray(value)) return value.map((item: unknown) => this.to(item));
    return value;
  }

  from(value: unknown): unknown {
    return value === null || value === undefined ? value : String(value);
  }
}

/** The transformer of a column whose IDs the subscriber makes. */
export class GeneratedIdTransformer extends SnowflakeIdTransformer {
  private mayBeMissing = false;

  /**
   * @param generator name of the instance that makes the IDs
   * @param column what people call the column, e.g. `Order.id`
   * @param owner the class that declares it; unknown for an EntitySchema
   * @param columnType type of the column in the database
   */
  constructor(
    readonly generator: string,
    readonly column: string,
    readonly owner?: object,
    columnType?: SnowflakeColumnType,
  ) {
    super(columnType);
  }

  /**
   * @throws MissingSubscriberError when a row is about to be inserted without an ID: MariaDB's `INSERT IGNORE`, for
   * one, would give it the ID 0 without a word
   */
  override to(value: unknown): unknown {
    if ((value === undefined || value === null) && insertsNow() && !this.belongsToSingleTableChild()) {
      throw new MissingSubscriberError(this.column);
    }
    return super.to(value);
  }

  /** For a column of which an entity's metadata tell that rows in its table leave it empty: see below. */
  allowMissing(): void {
    this.mayBeMissing = true;
  }

  /** Rows of the parent, and of other children, share the table and leave the column empty. */
  private belongsToSingleTableChild(): boolean {
    if (this.mayBeMissing) return true;
    // Where no subscriber has looked at the metadata, there is still what the decorators have left.
    return getMetadataArgsStorage().tables.some(
      ({ target, type }) => target === this.owner && type === 'entity-child',
    );
  }
}

/**
 * Whether TypeORM asks for a value of an INSERT. It also asks for IDs that are absent by right: by `IsNull()`, for the
 * lazy relations of an unsaved row, in a `where` with a null. No argument tells these apart, only the caller does. Were
 * it renamed or minified, the NOT NULL constraint would still refuse the row.
 */
function insertsNow(): boolean {
  const limit = Error.stackTraceLimit;
  // An app may have set it so low that the caller is cut off. Where intrinsics are frozen, the limit stays as it is.
  Reflect.set(Error, 'stackTraceLimit', CALLERS);
  const { stack = '' } = new Error('who calls');
  Reflect.set(Error, 'stackTraceLimit', limit);
  return CALLED_FOR_INSERT.test(stack);
}

/** More than stand between here and the builder, with room for wrappers of the driver. */
const CALLERS = 20;

/** Two frames of a stack: a driver's `preparePersistentValue`, called from the class or the file InsertQueryBuilder. */
const CALLED_FOR_INSERT = /preparePersistentValue.*\n.*InsertQueryBuilder/;
