import type { DataSource, MigrationInterface, QueryRunner } from 'typeorm';
import { createMissingTables, hasTables } from 'nestjs-snowflake/internal/kit/sql/tables/create-tables';
import {
  createByMigration,
  dropByMigration,
} from 'nestjs-snowflake/internal/kit/sql/tables/tables-migration';
import {
  requireLastingTables,
  requireLockableTables,
} from 'nestjs-snowflake/internal/kit/sql/tables/tables-on-server';
import { seriesDatabase } from './series-database.js';
import { SERIES_TABLES } from './series-tables.js';
import { statementsOf } from './runner-statements.js';

/**
 * A TypeORM migration that creates the tables of series, and drops them when reverted. Add it to the `migrations` of the
 * DataSource. Existing tables stay as they are.
 */
export class CreateSnowflakeSeriesTables1767225600010 implements MigrationInterface {
  /** The name that TypeORM stores in its table of migrations. */
  readonly name: string = 'CreateSnowflakeSeriesTables1767225600010';

  /** Creates the missing tables. */
  up(queryRunner: QueryRunner): Promise<void> {
    return createByMigration(queryRunner, SERIES_TABLES, SERIES_TABLES.defaultName);
  }

  /** Drops the tables with all issued numbers. */
  down(queryRunner: QueryRunner): Promise<void> {
    return dropByMigration(queryRunner, SERIES_TABLES, SERIES_TABLES.defaultName);
  }
}

/**
 * Creates the tables of series unless they exist. Processes that start at the same time may all do so.
 *
 * @throws InvalidOptionError if the database can't hold series
 */
export async function createSeriesTables(dataSource: DataSource): Promise<void> {
  const database = seriesDatabase(dataSource);
  await createMissingTables(database, (work) => work(statementsOf(database, dataSource)));
}

/** Returns whether all tables exist. */
export function hasSeriesTables(dataSource: DataSource): Promise<boolean> {
  const database = seriesDatabase(dataSource);
  return hasTables(database.tables, (work) => work(statementsOf(database, dataSource)));
}

const STORE = 'SeriesModule';
const LASTING = { promise: 'and new documents would get the numbers of documents that remain' };

/**
 * Refuses tables that exist, but in which numbers could repeat: without transactions, temporary, or emptied by a crash.
 *
 * @throws StoreRejectedError
 */
export async function requireSafeTables(dataSource: DataSource): Promise<void> {
  const database = seriesDatabase(dataSource);
  const statements = statementsOf(database, dataSource);
  await requireLockableTables(database, statements, STORE);
  await requireLastingTables(database, statements, STORE, LASTING);
}
