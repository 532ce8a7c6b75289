import { InvalidOptionError } from '../../core/errors/input-errors.js';
import type { IdSourceName } from '../../core/ids/id-source-name.js';
import { DeclaredColumns } from './declared-columns.js';

/** The library's data of a column that holds IDs. */
export interface SnowflakeMark {
  /** What generates the IDs; absent for a column that only holds IDs. */
  readonly source?: IdSourceName;
}

/** Every declared column that holds IDs. */
export const SNOWFLAKE_COLUMNS = new DeclaredColumns<SnowflakeMark>('columns of TypeORM');

/**
 * Declares a column that holds IDs.
 *
 * @throws InvalidOptionError if two schemas of the same name use different instances for the column
 */
export function declareColumn(target: unknown, property: string | symbol, mark: SnowflakeMark): void {
  const known = SNOWFLAKE_COLUMNS.declaredBy(target).get(property);
  if (known !== undefined && !isSame(known, mark)) {
    const problem = 'belongs to two schemas whose columns take IDs from different instances';
    throw new InvalidOptionError('name', target, problem, 'Give one of the two EntitySchemas another name.');
  }
  SNOWFLAKE_COLUMNS.add(target, property, mark);
}

function isSame({ source: one }: SnowflakeMark, { source: other }: SnowflakeMark): boolean {
  return one?.kind === other?.kind && one?.name === other?.name;
}
