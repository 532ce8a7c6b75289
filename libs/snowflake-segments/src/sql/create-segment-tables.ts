import {
  createByMigration,
  dropByMigration,
  type MigrationRunner,
} from 'nestjs-snowflake/internal/kit/sql/tables/tables-migration';
import { SEGMENT_TABLES } from './segment-tables.js';

/**
 * A TypeORM migration that creates the tables of `sqlSegmentStore`, and drops them when reverted. Add it to the `migrations`
 * of the DataSource. Existing tables stay as they are. For another `tableName`, extend it and override `name` and
 * `tableName`.
 */
export class CreateSnowflakeSegmentTables1767225600002 {
  /** The name that TypeORM stores in its table of migrations. */
  readonly name: string = 'CreateSnowflakeSegmentTables1767225600002';
  /** The `tableName` of the store. */
  protected readonly tableName: string = SEGMENT_TABLES.defaultName;

  /** Creates the missing tables. */
  up(queryRunner: MigrationRunner): Promise<void> {
    return createByMigration(queryRunner, SEGMENT_TABLES, this.tableName);
  }

  /** Drops the tables with all counters. Stop every process that claims segments first. */
  down(queryRunner: MigrationRunner): Promise<void> {
    return dropByMigration(queryRunner, SEGMENT_TABLES, this.tableName);
  }
}
