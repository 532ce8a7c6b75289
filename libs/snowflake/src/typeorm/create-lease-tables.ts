import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dialectOf } from '../kit/sql/dialects.js';
import { createTables } from '../stores/sql/create-tables.js';
import { DEFAULT_TABLE_NAME, dropStatements, leaseTables } from '../stores/sql/lease-tables.js';
import { statementsOf } from '../kit/sql/migration-statements.js';

import type { RegistryPlace } from '../stores/sql/sql-registry.js';

/**
 * A TypeORM migration that creates the tables of `sqlLeaseStore`, and drops them when reverted. Add it to the `migrations` of
 * the DataSource. Existing tables stay as they are. For another `tableName`, extend it:
 *
 * ```ts
 * class CreateShopLeaseTables1767225600001 extends CreateSnowflakeLeaseTables1767225600000 {
 *   override readonly name = 'CreateShopLeaseTables1767225600001';
 *   protected override readonly tableName = 'shop_lease';
 * }
 * ```
 */
export class CreateSnowflakeLeaseTables1767225600000 implements MigrationInterface {
  /** The name that TypeORM stores in its table of migrations. */
  readonly name: string = 'CreateSnowflakeLeaseTables1767225600000';
  /** The `tableName` of the store. */
  protected readonly tableName: string = DEFAULT_TABLE_NAME;

  /** Creates the missing tables. */
  async up(queryRunner: QueryRunner): Promise<void> {
    const place = this.placeIn(queryRunner);
    await createTables(statementsOf(queryRunner, place), place);
  }

  /** Drops the tables and all lease data. Stop every process that makes IDs first. */
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
