import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createByMigration, dropByMigration } from '../../kit/sql/tables/tables-migration.js';
import { LEASE_TABLES } from '../../stores/sql/lease-tables.js';

/**
 * Creates the tables of `sqlLeaseStore` as a migration of TypeORM, and drops them when reverted. Add it to the `migrations` of
 * the DataSource. Existing tables stay as they are. For another `tableName`, extend it.
 *
 * @example
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
  protected readonly tableName: string = LEASE_TABLES.defaultName;

  /** Creates the missing tables. */
  up(queryRunner: QueryRunner): Promise<void> {
    return createByMigration(queryRunner, LEASE_TABLES, this.tableName);
  }

  /** Drops the tables and all lease data. Stop every process that generates IDs first. */
  down(queryRunner: QueryRunner): Promise<void> {
    return dropByMigration(queryRunner, LEASE_TABLES, this.tableName);
  }
}
