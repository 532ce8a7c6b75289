import type { ObjectLiteral, UpdateEvent } from 'typeorm';
import { InvalidIdError } from '../../core/errors/input-errors.js';
import { wordsOf } from '../../core/ids/id-words.js';
import type { ColumnMetadata } from './declared-columns.js';
import {
  isGenerated,
  readOwn,
  valueOf,
  writeOwn,
  type GeneratedColumn,
  type SnowflakeColumns,
} from './snowflake-columns.js';

/**
 * Converts the IDs that the app has set to decimal strings. Keys, and references of relations, must be strings already: TypeORM
 * has compared them before.
 *
 * @returns the columns whose IDs are missing and must be generated
 * @throws InvalidIdError
 */
export function normalizeInserted(
  entity: ObjectLiteral,
  { own, references, links }: SnowflakeColumns,
): GeneratedColumn[] {
  const missing: GeneratedColumn[] = [];
  for (const each of own) {
    const value = readOwn(each, entity);
    if (isMissing(value)) {
      if (isGenerated(each)) missing.push(each);
      continue;
    }
    const id = requireId(value, each.column);
    if (each.column.isPrimary) requireText(value, each.column);
    if (id !== value) writeOwn(each, entity, id);
  }
  for (const column of references) requireReference(valueOf(column, entity), column);
  checkLinks(links, entity);
  return missing;
}

/**
 * Checks the IDs that an UPDATE writes. A `save` names its columns, so only those are checked, and a row that already holds
 * another value can still be saved. A query builder names no columns.
 *
 * @throws InvalidIdError
 */
export function checkUpdated(
  entity: ObjectLiteral,
  { own, references, links, all }: SnowflakeColumns,
  event: Pick<UpdateEvent<ObjectLiteral>, 'databaseEntity' | 'updatedColumns' | 'updatedRelations'>,
): void {
  const { databaseEntity, updatedColumns, updatedRelations } = event;
  const isWritten = (column: ColumnMetadata): boolean =>
    column.isUpdate &&
    (databaseEntity === undefined ||
      updatedColumns.includes(column) ||
      updatedRelations.some((relation) => relation === column.relationMetadata));
  for (const { column } of own) if (isWritten(column)) requireId(valueOf(column, entity), column);
  for (const column of references) if (isWritten(column)) requireReference(valueOf(column, entity), column);
  checkKey(entity, all);
  checkLinks(links, entity);
}

/**
 * Checks the key. TypeORM looks up an entity by its key before it writes or removes the row. A rounded key can find another row,
 * and one that is no string doesn't equal the key of the row that it finds.
 *
 * @throws InvalidIdError
 */
export function checkKey(entity: ObjectLiteral, columns: readonly ColumnMetadata[]): void {
  for (const column of columns) if (column.isPrimary) requireText(valueOf(column, entity), column);
}

/** Checks the objects that junction rows link, because the rows of a junction table cause no event. */
function checkLinks(links: SnowflakeColumns['links'], entity: ObjectLiteral): void {
  for (const { relation, keys } of links) {
    const linked: unknown = relation.getEntityValue(entity);
    if (!Array.isArray(linked)) continue;
    for (const each of linked as unknown[]) {
      if (typeof each !== 'object' || each === null) requireText(each, relation);
      else checkKey(each, keys);
    }
  }
}

export function isMissing(value: unknown): boolean {
  return value === undefined || value === null;
}

/** What an ID is written to. */
type Place = Pick<ColumnMetadata, 'propertyPath'> & { readonly entityMetadata: { readonly name: string } };

/**
 * Returns the exact decimal string of an explicit ID: a decimal string, a bigint, or an exact number. Passes on SQL, which
 * query builders take as a function, and a missing ID.
 *
 * @throws InvalidIdError for any other value, or one outside 0..2^63 - 1
 */
function requireId(value: unknown, place: Place): unknown {
  if (isMissing(value) || typeof value === 'function') return value;
  requireExact(value, place);
  const id = typeof value === 'number' ? String(value) : value;
  if (typeof id !== 'string' && typeof id !== 'bigint')
    throw refusal(value, `is of type ${typeof value}`, place);
  try {
    wordsOf(id);
  } catch (error) {
    throw error instanceof InvalidIdError ? refusal(value, error.problem, place) : error;
  }
  return String(id);
}

/** Checks the ID in a relation, or in a column that a relation shares. @throws InvalidIdError */
function requireReference(value: unknown, place: Place): void {
  requireId(value, place);
  requireText(value, place);
}

/** @throws InvalidIdError for an ID that is not a string */
function requireText(value: unknown, place: Place): void {
  if (isMissing(value) || typeof value === 'string' || typeof value === 'function') return;
  requireExact(value, place);
  throw refusal(value, `is of type ${typeof value}`, place, ', because TypeORM compares keys as strings');
}

/** @throws InvalidIdError for a number that may have been rounded, and so may be another row's ID */
function requireExact(value: unknown, place: Place): void {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return;
  throw refusal(value, 'is a number that may have been rounded', place);
}

/** Names the property in the remedy, because `problem` may be shown to clients. */
function refusal(
  value: unknown,
  problem: string,
  { entityMetadata, propertyPath }: Place,
  reason = '',
): InvalidIdError {
  const name = `${entityMetadata.name}.${propertyPath}`;
  const remedy = `Set ${name} to the decimal string that nextId() returned${reason}.`;
  return new InvalidIdError(value, problem, remedy);
}
