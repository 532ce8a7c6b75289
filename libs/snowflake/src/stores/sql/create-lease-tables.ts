import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dialectOf } from './dialects.js';
import { createTables } from './create-tables.js';
import { createNamespaces, DEFAULT_TABLE_NAME, dropStatements, leaseTables } from './lease-tables.js';
import { askHistory } from './server-history.js';
import { NoHistory } from './sql-errors.js';
import type { HistoryExpressions } from './sql-dialect.js';

import type { RegistryPlace, SqlRow, Statements } from './sql-registry.js';

/**
 * A TypeORM migration that creates the tables of `sqlLeaseStore`, and takes them away again: add it to the
 * `migrations` of the DataSource. It does no harm where they exist already. For another `tableName` extend it:
 *
 * ```ts
 * class CreateShopLeaseTables1767225600001 extends CreateSnowflakeLeaseTables1767225600000 {
 *   override readonly name = 'CreateShopLeaseTables1767225600001';
 *   protected override readonly tableName = 'shop_lease';
 * }
 * ```
 */
export class CreateSnowflakeLeaseTables1767225600000 implements MigrationInterface {
  /** The name that TypeORM keeps in its table of migrations. */
  readonly name: string = 'CreateSnowflakeLeaseTables1767225600000';
  /** The `tableName` of the store. */
  protected readonly tableName: string = DEFAULT_TABLE_NAME;

  /** Creates the tables that are missing, and notes in which history of the server that was. */
  async up(queryRunner: QueryRunner): Promise<void> {
    const place = this.placeIn(queryRunner);
    const statements = statementsOf(queryRunner, place);
    const history = await readableHistory(queryRunner, statements, place);
    await createTables(statements, { ...place, history });
  }

  /** Drops the tables, and with them all that is known of leases: stop every process that makes IDs first. */
  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of dropStatements(this.placeIn(queryRunner).tables))
      await queryRunner.query(statement);
  }

  private placeIn({ connection }: QueryRunner): Place {
    const dialect = dialectOf(connection.options);
    return { tables: leaseTables(this.tableName, connection.options, dialect), dialect };
  }
}

type Place = Pick<RegistryPlace, 'tables' | 'dialect'>;

function statementsOf(queryRunner: QueryRunner, { dialect }: Place): Pick<Statements, 'query'> {
  return {
    query: async (sql, parameters = []) => {
      let position = 0;
      const text = sql.replaceAll('?', () => dialect.parameter(++position));
      const rows: unknown = await queryRunner.query(text, [...parameters]);
      return Array.isArray(rows) ? (rows as SqlRow[]) : [];
    },
  };
}

/**
 * How the server tells its history; `undefined` where it does not, such as Aurora. The first start waits there, unless
 * the store is told `assumeNoLostCommits`.
 */
async function readableHistory(
  queryRunner: QueryRunner,
  { query }: Pick<Statements, 'query'>,
  { dialect, tables }: Place,
): Promise<HistoryExpressions | undefined> {
  const history = await dialect.findHistory(query, tables);
  await query(createNamespaces(tables, dialect));
  if (dialect.failsWhole) await queryRunner.startTransaction();
  try {
    await askHistory({ query }, { dialect, history });
    if (dialect.failsWhole) await queryRunner.commitTransaction();
    return history;
  } catch (error) {
    if (dialect.failsWhole) await queryRunner.rollbackTransaction();
    if (!(error instanceof NoHistory)) throw error;
    return undefined;
  }
}
