import { seeDocs } from '../../core/see-docs.js';
import { InvalidOptionError } from '../../core/errors/input-errors.js';
import { LossyDriverError } from '../../core/errors/setup-errors.js';
import { requireMethods } from '../../core/options/option-checks.js';
import { checkedOptions, type OptionRules, text } from '../../core/options/option-rule.js';
import { FAMILIES, PROBE, type DatabaseFamily, type NamedTable } from '../../kit/sql/column-families.js';
import {
  readColumns,
  requireFittingTypes,
  type ColumnsInDatabase,
  type DescribedColumn,
} from '../../kit/sql/columns-in-database.js';
import { modelsOf } from './snowflake-ids.js';

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
  schema: text(/./, 'is not the name of a schema', 'Pass the schema of the adapter, or omit it.').optional(),
} satisfies OptionRules<VerifyPrismaOptions>;

/**
 * Refuses a client that lacks the extension, and one whose adapter rounds 64-bit integers. Also refuses a key that has a default or
 * a sequence in the database, and a column that can't hold 63 bits. Call it once while the app starts. It sends one query. It skips
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
  const family = FAMILIES.find(({ includes }) => includes.test(provider));
  const tables = Object.values(models).map((model) => ({
    schema,
    ...model,
    tableName: model.table,
    tablePath: model.schema === undefined ? model.table : `${model.schema}.${model.table}`,
  }));
  if (family === undefined || tables.length === 0) return;
  const { find } = await readExactly(client, family, tables);
  const keyColumns = tables.flatMap(({ tablePath, keys }) => find(tablePath, Object.values(keys)));
  const others = tables.flatMap(({ tablePath, references }) => find(tablePath, Object.values(references)));
  requireFittingTypes([...keyColumns, ...others], family);
  for (const column of keyColumns) requireNoDefault(column);
}

/** @throws LossyDriverError if the adapter doesn't return the probe */
async function readExactly(
  client: VerifiableClient,
  family: DatabaseFamily,
  tables: readonly NamedTable[],
): Promise<ColumnsInDatabase> {
  const read = (probe: string): Promise<ColumnsInDatabase> =>
    readColumns({ ...family, probe }, tables, (sql) => client.$queryRawUnsafe(sql));
  const columns = await read(family.probe).catch(async (error: unknown) => {
    // An adapter that fails to read the probe can read a small number.
    await read('1').catch(() => Promise.reject(error));
    throw lossy('an error');
  });
  if (columns.probe !== PROBE) throw lossy(columns.probe);
  return columns;
}

function lossy(returned: string): LossyDriverError {
  const remedy =
    "Let the adapter of the Prisma client read bigints: new PrismaLibSql({ url, intMode: 'bigint' }), and no type parser of " +
    'pg that returns numbers.';
  return new LossyDriverError('Prisma', returned, remedy);
}

function requireNoDefault({ table, column, default: given }: DescribedColumn): void {
  if (given === '') return;
  throw new InvalidOptionError(
    `${table}.${column}`,
    given,
    'has a default in the database, so rows that are not written through Prisma would silently get numbers that are not IDs',
    `Remove the default in a migration. ${seeDocs('guides/prisma', 'Migrations')}`,
  );
}
