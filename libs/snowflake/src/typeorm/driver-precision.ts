import type { DataSource } from 'typeorm';
import { LossyDriverError } from '../core/index.js';

/** 2^53 + 1: the smallest integer that a JavaScript number cannot hold. */
const PROBE = '9007199254740993';

interface DriverFamily {
  /** Whether a `type` of the DataSource options belongs to it. */
  readonly includes: RegExp;
  /** SQL for {@link PROBE} as a value of the type that `bigint` columns have. */
  readonly probe: string;
  readonly remedy: string;
}

const FAMILIES: readonly DriverFamily[] = [
  {
    includes: /postgres|cockroachdb/,
    probe: `CAST(${PROBE} AS BIGINT)`,
    remedy:
      'Remove parseInt8: true from the options of every DataSource of the process (pg keeps it globally), and any type ' +
      'parser for int8 that returns a number.',
  },
  {
    includes: /mysql|mariadb/,
    probe: `CAST(${PROBE} AS SIGNED)`,
    remedy: 'Leave supportBigNumbers and bigNumberStrings of the DataSource options at their default, true.',
  },
  {
    includes: /^better-sqlite3$/,
    probe: PROBE,
    remedy:
      "Add prepareDatabase of 'nestjs-snowflake/typeorm' to the DataSource options, or declare the columns with " +
      "{ type: 'varchar' }.",
  },
  {
    includes: /sqlite|sqljs|expo|capacitor|cordova|nativescript|react-native/,
    probe: PROBE,
    remedy:
      "Declare the columns with { type: 'varchar' }, or use the driver better-sqlite3 with prepareDatabase of " +
      "'nestjs-snowflake/typeorm'.",
  },
];

/**
 * Reads an integer that no double can hold through the DataSource, on the path of entity columns. Databases that are
 * not listed above are not asked.
 *
 * @throws LossyDriverError when it comes back altered
 */
export async function requireExactBigInts(dataSource: DataSource): Promise<void> {
  const { type } = dataSource.options;
  const family = FAMILIES.find(({ includes }) => includes.test(type));
  if (family === undefined) return;
  const rows: Record<string, unknown>[] = await dataSource.query(`SELECT ${family.probe} AS "probe"`);
  const returned = String(Object.values(rows[0] ?? {})[0]);
  if (returned !== PROBE) throw new LossyDriverError(type, returned, family.remedy);
}
