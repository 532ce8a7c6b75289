import { docsUrl } from '../core/docs-url.js';
import { InvalidOptionError } from '../core/errors/input-errors.js';
import { ColumnTypeError, LossyDriverError, type ColumnInDatabase } from '../core/errors/setup-errors.js';
import { requireMethods } from '../core/options/option-checks.js';
import { checkedOptions, type OptionRules, text } from '../core/options/option-rule.js';
import { FAMILIES, holdsIds, PROBE, type DatabaseFamily } from '../kit/sql/column-families.js';
import { modelsOf } from './snowflake-ids.js';
import type { SnowflakeModel } from './snowflake-models.js';

/** The part of a Prisma client that the check needs. */
export interface VerifiableClient {
  $queryRawUnsafe(sql: string): Promise<unknown>;
}

/** Options of {@link verifySnowflakePrisma}. */
export interface VerifyPrismaOptions {
  /**
   * The PostgreSQL schema of the models without `@@schema`: the same as the option `schema` of the adapter.
   *
   * @defaultValue what the search path of the connection finds
   */
  readonly schema?: string;
}

const OPTIONS = {
  schema: text(/./, 'is no name of a schema', 'Pass the schema that the adapter has, or nothing.').optional(),
} satisfies OptionRules<VerifyPrismaOptions>;

/**
 * Refuses a client that lacks the extension, and one whose adapter rounds 64-bit integers. Also refuses a key that has a default or
 * a sequence in the database, and a column that can't hold 63 bits. Call it once while the app boots. It sends one query. It skips
 * tables that don't exist yet, and databases other than PostgreSQL, CockroachDB, MySQL, MariaDB and SQLite.
 *
 * @throws LossyDriverError, ColumnTypeError
 * @throws InvalidOptionError for a client without the extension, and for a key with a default
 * @example
 * ```ts
 * const db = new PrismaClient({ adapter }).$extends(snowflakeIds(ids, snowflakeModels));
 * await verifySnowflakePrisma(db);
 * ```
 */
export async function verifySnowflakePrisma(
  client: VerifiableClient,
  options: VerifyPrismaOptions = {},
): Promise<void> {
  requireMethods('client', client, ['$queryRawUnsafe'], 'Pass a client of Prisma.');
  const { schema } = checkedOptions('options', options, OPTIONS);
  const { provider, models } = modelsOf(client);
  const name = provider.replace(/^postgresql$/, 'postgres');
  const family = FAMILIES.find(({ includes }) => includes.test(name));
  const isKey = columnsIn(Object.values(models));
  if (family === undefined || isKey.size === 0) return;
  const placed = Object.values(models).map((model) => ({ schema, ...model }));
  const rows = await readColumns(client, family, placed);
  const columns = rows.filter(({ table, column }) => isKey.has(keyOf(table, column)));
  const unfit = columns.filter(({ type }) => !holdsIds(type, family));
  if (unfit.length > 0) throw new ColumnTypeError(unfit);
  for (const found of columns)
    if (found.default !== '' && isKey.get(keyOf(found.table, found.column))) throw defaultRefusal(found);
}

/** Returns the columns that hold IDs, and whether they are keys, which get them. */
function columnsIn(models: readonly SnowflakeModel[]): ReadonlyMap<string, boolean> {
  const columns = new Map<string, boolean>();
  for (const { table, keys, references } of models) {
    for (const column of Object.values(references)) columns.set(keyOf(table, column), false);
    for (const column of Object.values(keys)) columns.set(keyOf(table, column), true);
  }
  return columns;
}

/** Ignores case, as most databases do. */
function keyOf(table: string, column: string): string {
  return `${table}\n${column}`.toLowerCase();
}

/** A column as the database describes it. */
interface Column extends ColumnInDatabase {
  readonly default: string;
}

/** @throws LossyDriverError if the adapter doesn't return the probe, which is in a row of its own */
async function readColumns(
  client: VerifiableClient,
  { probe, columnsOf }: DatabaseFamily,
  models: readonly SnowflakeModel[],
): Promise<Column[]> {
  const tables = models.map(({ table, schema }) => ({ tablePath: table, tableName: table, schema }));
  const read = async (value: string): Promise<string[][]> => {
    const selects = [
      `SELECT '' AS t, '' AS c, '' AS y, '' AS d, ${value} AS p`,
      ...(columnsOf?.(tables) ?? []),
    ];
    const rows = (await client.$queryRawUnsafe(selects.join(' UNION ALL '))) as object[];
    return rows.map((row) => Object.values(row).map(String));
  };
  const rows = await read(probe).catch(async (error: unknown) => {
    // An adapter that fails to read the probe can read a small number.
    await read('1').catch(() => Promise.reject(error));
    throw lossy('an error');
  });
  const returned = rows.find(([table]) => table === '')?.[4];
  if (returned !== PROBE) throw lossy(String(returned));
  return rows.map(([table = '', column = '', type = '', given = '']) => ({
    table,
    column,
    type,
    default: given,
  }));
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
    `Remove the default in a migration: ${docsUrl('guides/prisma', 'migrations')}`,
  );
}
