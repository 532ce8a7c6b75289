import type { EntityMetadata } from 'typeorm';
import { InvalidOptionError } from '../core/index.js';

export type ColumnMetadata = EntityMetadata['columns'][number];

/** What the library knows of a column that it has declared. */
export interface SnowflakeMark {
  /** The instance that makes the IDs; absent for a column that only holds IDs. */
  readonly instance?: string;
}

/** Every declared column, by what TypeORM calls its target: the declaring class, or the name of a schema without one. */
const declared = new Map<unknown, Map<string | symbol, SnowflakeMark>>();

/**
 * Adds a column. Inherited and embedded columns keep the target that declares them.
 *
 * @throws InvalidOptionError when two schemas of one name want IDs of different instances in it
 */
export function declareColumn(target: unknown, property: string | symbol, mark: SnowflakeMark): void {
  const marks = declared.get(target) ?? new Map<string | symbol, SnowflakeMark>();
  const known = marks.get(property);
  if (known !== undefined && known.instance !== mark.instance) {
    const problem = 'names two schemas whose columns take IDs of different instances';
    throw new InvalidOptionError('name', target, problem, 'Give one of the two EntitySchemas another name.');
  }
  declared.set(target, marks.set(property, mark));
}

/** Returns the mark of a column; undefined for a column that this library did not declare. */
export function markOf({ target, propertyName }: ColumnMetadata): SnowflakeMark | undefined {
  return declared.get(target)?.get(propertyName);
}
