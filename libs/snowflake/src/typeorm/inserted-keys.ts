import { InsertQueryBuilder, type EntityMetadata, type ObjectLiteral } from 'typeorm';
import { holdsValue, isValue, type ColumnMetadata } from './column-values.js';
import { snowflakeColumnsOf } from './snowflake-columns.js';

type Builder = InsertQueryBuilder<ObjectLiteral>;

/** What a row is inserted with: its key, and the IDs next to it. */
type WrittenKeys = ReadonlyMap<ColumnMetadata, unknown>;

let keepsKeys = false;

/**
 * Lets every object of an INSERT of several rows keep the key and the IDs with which it was inserted.
 *
 * Why: TypeORM gives the first row that the database returns, or that it reads again, to the first object and so on. But
 * `orIgnore` and an `upsert` that skips unchanged rows return fewer rows than there are objects, and rows that are read
 * again come in the order of their keys. An object, and the result, then carry the key of the neighbour's row.
 *
 * How: keys are noted when the statement is made of them, after all listeners and subscribers, whether TypeORM calls any
 * or not. One row can only belong to one object, so of one TypeORM may take the key: an upsert tells it so.
 */
export function keepKeysOfInserts(): void {
  if (keepsKeys) return;
  keepsKeys = true;
  const { execute, getQueryAndParameters } = InsertQueryBuilder.prototype;
  InsertQueryBuilder.prototype.getQueryAndParameters = function (this: Builder) {
    const statement = getQueryAndParameters.call(this);
    executing.get(this)?.note();
    return statement;
  };
  InsertQueryBuilder.prototype.execute = async function (this: Builder) {
    const rows = rowsOf(this);
    if (rows === undefined) return execute.call(this);
    executing.set(this, rows);
    try {
      const result = await execute.call(this);
      rows.restoreIn(result.generatedMaps);
      return result;
    } finally {
      // Also when it failed: an object may be inserted again with another key.
      rows.forget();
      if (executing.get(this) === rows) executing.delete(this);
    }
  };
}

const executing = new WeakMap<Builder, InsertedRows>();

/** Of the objects whose rows are being inserted. */
const written = new WeakMap<object, WrittenKeys>();

/** Nothing where TypeORM gives the objects no more than defaults of the database. */
function rowsOf(builder: Builder): InsertedRows | undefined {
  const { mainAlias, updateEntity, valuesSet, returning, locallyGenerated } = builder.expressionMap;
  if (!updateEntity || !mainAlias?.hasMetadata || !Array.isArray(valuesSet) || valuesSet.length < 2) {
    return undefined;
  }
  const { metadata } = mainAlias;
  const { kept, isKeptReturned, isReadAgain } = snowflakeColumnsOf(metadata);
  if (kept.length === 0) return undefined;
  // TypeORM 0.3 has `connection` only.
  const { driver } = builder.dataSource ?? builder.connection;
  const takesKeys = driver.isReturningSqlSupported('insert')
    ? isKeptReturned || (returning?.length ?? 0) > 0
    : isReadAgain;
  return takesKeys ? new InsertedRows(metadata, kept, valuesSet, locallyGenerated) : undefined;
}

/** The rows of one statement. */
class InsertedRows {
  private noted: readonly (readonly [ObjectLiteral, WrittenKeys])[] = [];

  /** @param made what TypeORM itself makes for some of the rows, as a UUID, while it makes the statement */
  constructor(
    private readonly metadata: EntityMetadata,
    private readonly columns: readonly ColumnMetadata[],
    private readonly objects: readonly ObjectLiteral[],
    private readonly made: Readonly<Record<number, ObjectLiteral>>,
  ) {}

  note(): void {
    restoreBeforeIdIsRead(this.metadata);
    this.noted = this.objects.map((object, row) => [object, this.keysOf(object, this.made[row] ?? {})]);
    for (const [object, keys] of this.noted) written.set(object, keys);
  }

  restoreIn(generatedMaps: readonly (ObjectLiteral | undefined)[]): void {
    for (const [row, [, keys]] of this.noted.entries()) {
      const map = generatedMaps[row];
      if (map !== undefined) restore(map, keys);
    }
  }

  forget(): void {
    for (const [object, keys] of this.noted) {
      if (written.get(object) === keys) written.delete(object);
    }
  }

  private keysOf(object: ObjectLiteral, made: ObjectLiteral): WrittenKeys {
    const keys = new Map<ColumnMetadata, unknown>();
    for (const column of this.columns) {
      const value: unknown = column.getEntityValue(object) ?? column.getEntityValue(made);
      if (isValue(value)) keys.set(column, value);
    }
    return keys;
  }
}

const restoring = new WeakSet<EntityMetadata>();

/**
 * The first that TypeORM does after it has given rows to objects is to ask for the ID of each, for the result. Restored
 * then, the key is right in the result, and for every listener and subscriber.
 */
function restoreBeforeIdIsRead(metadata: EntityMetadata): void {
  if (restoring.has(metadata)) return;
  restoring.add(metadata);
  const idOf = metadata.getEntityIdMap;
  metadata.getEntityIdMap = (entity): ObjectLiteral | undefined => {
    const keys = entity && written.get(entity);
    if (entity && keys) restore(entity, keys);
    return idOf.call(metadata, entity);
  };
}

/** Leaves alone what has no such value: a generated map does not always name the key. */
function restore(object: ObjectLiteral, keys: WrittenKeys): void {
  for (const [column, value] of keys) {
    if (column.getEntityValue(object) !== undefined && !holdsValue(column, object, value)) {
      column.setEntityValue(object, value);
    }
  }
}
