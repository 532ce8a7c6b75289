import type { EntityMetadata } from 'typeorm';
import { InvalidOptionError } from '../../core/errors/input-errors.js';
import { sharedByOtherVersions, sharedInProcess } from '../../core/process-memory.js';
import type { IdSourceName } from '../../core/ids/id-source-name.js';

/** A column, as TypeORM describes it. */
export type ColumnMetadata = EntityMetadata['columns'][number];

/** The library's data of a column that it has declared. */
export interface SnowflakeMark {
  /** What makes the IDs; absent for a column that only holds IDs. */
  readonly source?: IdSourceName;
}

/** Every declared column by its TypeORM target: the declaring class, or the name of a schema without a class. */
const COLUMNS = 'columns of TypeORM';
const declared = sharedInProcess(COLUMNS, () => new Map<unknown, Map<string | symbol, SnowflakeMark>>());

/**
 * Adds a column. Inherited and embedded columns keep the target that declares them.
 *
 * @throws InvalidOptionError if two schemas of the same name use different instances for the column
 */
export function declareColumn(target: unknown, property: string | symbol, mark: SnowflakeMark): void {
  const marks = declared.get(target) ?? new Map<string | symbol, SnowflakeMark>();
  const known = marks.get(property);
  if (known !== undefined && !isSame(known, mark)) {
    const problem = 'belongs to two schemas whose columns take IDs from different instances';
    throw new InvalidOptionError('name', target, problem, 'Give one of the two EntitySchemas another name.');
  }
  declared.set(target, marks.set(property, mark));
}

function isSame({ source: one }: SnowflakeMark, { source: other }: SnowflakeMark): boolean {
  return one?.kind === other?.kind && one?.name === other?.name;
}

/** Returns whether a property of a class or schema has been declared. */
export function isDeclared(target: unknown, property: string | symbol): boolean {
  return declared.get(target)?.has(property) === true;
}

/** Returns the mark of a column; undefined for a column that this library did not declare. */
export function markOf({ target, propertyName }: ColumnMetadata): SnowflakeMark | undefined {
  return declared.get(target)?.get(propertyName);
}

/** Returns the version of the library that has declared a column, if it is another one than this. */
export function otherVersionOf({ target, propertyName }: ColumnMetadata): string | undefined {
  return sharedByOtherVersions(COLUMNS).find(({ shared }) =>
    (shared as Map<unknown, Map<string | symbol, unknown>>).get(target)?.has(propertyName),
  )?.version;
}
