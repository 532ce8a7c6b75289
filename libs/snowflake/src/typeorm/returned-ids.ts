import type { DataSource, EntityMetadata, ObjectLiteral } from 'typeorm';
import { snowflakeColumnsOf } from './snowflake-columns.js';

type Driver = DataSource['driver'];

/** A row that is inserted. */
export interface Insert {
  readonly entity: ObjectLiteral;
  readonly metadata: EntityMetadata;
}

const known = new WeakSet<Driver>();

/**
 * Keeps the IDs of rows that an INSERT of several returns away from the objects.
 *
 * Why: TypeORM gives the first returned row to the first object and so on, but `orIgnore` and an `upsert` that skips
 * unchanged rows return fewer rows than there are objects. An object then carries the ID of its neighbour's row.
 *
 * How: `createGeneratedMap` is asked for what an object gets of a returned row. One row can only belong to one object.
 */
export function keepReturnedIdsApart({ driver }: DataSource): void {
  if (known.has(driver)) return;
  known.add(driver);
  const create = driver.createGeneratedMap;
  driver.createGeneratedMap = (metadata, row: unknown, index, count): ObjectLiteral | undefined =>
    create.call(driver, metadata, (count ?? 1) > 1 ? withoutIds(metadata, row) : row, index, count);
}

function withoutIds(metadata: EntityMetadata, row: unknown): unknown {
  if (typeof row !== 'object' || row === null) return row;
  const { generatedNames: names } = snowflakeColumnsOf(metadata);
  if (!names.some((name) => name in row)) return row;
  return Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)));
}

const writtenKeys = new WeakMap<object, readonly unknown[]>();
let inserts: Insert[] = [];

/**
 * Remembers the key with which an object is about to be inserted, where TypeORM reads the rows again, and gives the
 * first row that it finds to the first object: it finds them in the order of their keys, and not those that were left
 * out because they exist.
 *
 * @returns whether there is anything to {@link restoreKeys restore} afterwards
 */
export function rememberKeys(driver: Driver, insert: Insert): boolean {
  if (!snowflakeColumnsOf(insert.metadata).isReadAgain || driver.isReturningSqlSupported('insert'))
    return false;
  // Other subscribers still have their turn, and may set another ID.
  if (inserts.length === 0) void Promise.resolve().then(noteKeys);
  inserts.push(insert);
  return true;
}

function noteKeys(): void {
  const noted = inserts;
  inserts = [];
  for (const { entity, metadata } of noted) {
    const { keys } = snowflakeColumnsOf(metadata);
    writtenKeys.set(
      entity,
      keys.map((column) => column.getEntityValue(entity)),
    );
  }
}

/** Gives an object the key back with which it was inserted. */
export function restoreKeys({ entity, metadata }: Insert): void {
  const written = writtenKeys.get(entity);
  if (written === undefined) return;
  for (const [index, column] of snowflakeColumnsOf(metadata).keys.entries()) {
    const key = written[index];
    if (typeof key === 'string' && column.getEntityValue(entity) !== key) column.setEntityValue(entity, key);
  }
}
