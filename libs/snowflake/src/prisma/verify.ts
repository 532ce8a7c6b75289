import { InvalidOptionError } from '../core/errors/input-errors.js';
import { ColumnTypeError, LossyDriverError, type ColumnInDatabase } from '../core/errors/setup-errors.js';
import { requireMethods } from '../core/options/option-checks.js';
import {
  FAMILIES,
  holdsIds,
  PROBE,
  type DatabaseFamily,
  type NamedTable,
} from '../kit/sql/column-families.js';
import { modelsOf } from './snowflake-ids.js';
import type { SnowflakeModel, SnowflakeModels } from './snowflake-models.js';

/** A client of Prisma, as far as the check needs it. */
export interface VerifiableClient {
  $queryRawUnsafe(sql: string): Promise<unknown>;
}

/** A column as the database describes it. */
interface Column extends ColumnInDatabase {
  readonly default: string;
  readonly isKey: boolean;
}

/** The families of {@link FAMILIES}, by an example of their names. The catalogs of other databases are unknown. */
const FAMILY_NAMES: Partial<Record<SnowflakeModels['provider'], string>> = {
  cockroachdb: 'cockroachdb',
  mysql: 'mysql',
  postgres: 'postgres',
  postgresql: 'postgres',
  sqlite: 'sqlite',
};

/**
 * Refuses a client that could lose or round IDs: without the extension, with an adapter that rounds 64-bit integers, with a key
 * that has a default or a sequence in the database, or with a column that can't hold 63 bits. Call it once while the app boots. It
 * sends one query. It skips tables that don't exist yet, and databases other than PostgreSQL, CockroachDB, MySQL, MariaDB and SQLite.
 *
 * @throws LossyDriverError, ColumnTypeError
 * @throws InvalidOptionError for a client without the extension, and for a key with a default
 * @example
 * ```ts
 * const db = new PrismaClient({ adapter }).$extends(snowflakeIds(ids, snowflakeModels));
 * await verifySnowflakePrisma(db);
 * ```
 */
export async function verifySnowflakePrisma(client: VerifiableClient): Promise<void> {
  requireMethods('client', client, ['$queryRawUnsafe'], 'Pass a client of Prisma.');
  const { provider, models } = modelsOf(client);
  const name = FAMILY_NAMES[provider];
  const family = FAMILIES.find(({ includes }) => name !== undefined && includes.test(name));
  if (family === undefined) return;
  const columns = await readColumns(client, family, Object.values(models));
  const unfit = columns.filter(({ type }) => !holdsIds(type, family));
  if (unfit.length > 0) throw new ColumnTypeError(unfit);
  for (const column of columns) if (column.isKey && column.default !== '') throw defaultRefusal(column);
}

async function readColumns(
  client: VerifiableClient,
  family: DatabaseFamily,
  models: readonly SnowflakeModel[],
): Promise<Column[]> {
  const tables = models.flatMap(({ table, schema, keys, references }): NamedTable[] =>
    Object.keys({ ...keys, ...references }).length === 0
      ? []
      : [{ tablePath: table, tableName: table, ...(schema === undefined ? {} : { schema }) }],
  );
  const selects = tables.length === 0 ? [] : (family.columnsOf?.(tables) ?? []);
  const [probe, ...rows] = await read(client, family.probe, selects);
  if (probe?.at(-1) !== PROBE) throw lossy(String(probe?.at(-1)));
  const described = new Map(rows.map((row) => [keyOf(row[0], row[1]), row]));
  const inDatabase = (table: string, column: string, isKey: boolean): Column[] => {
    const [, , type, given = ''] = described.get(keyOf(table, column)) ?? [];
    return type === undefined ? [] : [{ table, column, type, default: given, isKey }];
  };
  return models.flatMap(({ table, keys, references }) => [
    ...Object.values(keys).flatMap((column) => inDatabase(table, column, true)),
    ...Object.values(references).flatMap((column) => inDatabase(table, column, false)),
  ]);
}

/** Returns rows of table, column, type, default and probe. The first row has the probe. */
async function read(
  client: VerifiableClient,
  probe: string,
  selects: readonly string[],
): Promise<string[][]> {
  const sqlFor = (value: string): string =>
    [`SELECT '' AS t, '' AS c, '' AS y, '' AS d, ${value} AS p`, ...selects].join(' UNION ALL ');
  let rows;
  try {
    rows = await client.$queryRawUnsafe(sqlFor(probe));
  } catch (error) {
    // An adapter that can't read the probe can read a small number.
    await client.$queryRawUnsafe(sqlFor('1')).catch(() => Promise.reject(error));
    throw lossy('an error');
  }
  const texts = (rows as object[]).map((row) => Object.values(row).map(String));
  return texts.toSorted((one, other) => Number(one[0] !== '') - Number(other[0] !== ''));
}

/** Ignores case, as most databases do. */
function keyOf(table = '', column = ''): string {
  return `${table}\n${column}`.toLowerCase();
}

function lossy(returned: string): LossyDriverError {
  const remedy =
    "Let the adapter of the Prisma client read bigints: new PrismaLibSql({ url, intMode: 'bigint' }), and no type parser of " +
    'pg that returns numbers.';
  return new LossyDriverError('Prisma', returned, remedy);
}

function defaultRefusal({ table, column, default: given }: Column): InvalidOptionError {
  return new InvalidOptionError(
    `${table}.${column}`,
    given,
    'has a default in the database, so rows written around Prisma would silently get numbers that are no IDs',
    `Remove the default in a migration: ALTER TABLE ${table} ALTER COLUMN ${column} DROP DEFAULT.`,
  );
}
