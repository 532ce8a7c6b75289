import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dialectOf } from './dialects.js';
import {
  createStatements,
  DEFAULT_TABLE_NAME,
  dropStatements,
  leaseTables,
  type LeaseTables,
} from './lease-tables.js';
import type { SqlDialect } from './sql-dialect.js';

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

  /** Creates the tables that are missing. */
  async up(queryRunner: QueryRunner): Promise<void> {
    const { tables, dialect } = this.tablesIn(queryRunner);
    for (const statement of createStatements(tables, dialect)) await queryRunner.query(statement);
  }

  /** Drops the tables, and with them all that is known of leases: stop every process that makes IDs first. */
  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of dropStatements(this.tablesIn(queryRunner).tables))
      await queryRunner.query(statement);
  }

  private tablesIn({ connection }: QueryRunner): { tables: LeaseTables; dialect: SqlDialect } {
    const dialect = dialectOf(connection.options);
    return { tables: leaseTables(this.tableName, connection.options, dialect), dialect };
  }
}
