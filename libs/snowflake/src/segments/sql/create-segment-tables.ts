import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dialectOf } from '../../kit/sql/dialects.js';
import { readableHistory, statementsOf } from '../../kit/sql/migration-statements.js';
import type { SqlPlace } from '../../kit/sql/content.js';
import { createTables } from './create-tables.js';
import {
  createStates,
  DEFAULT_TABLE_NAME,
  dropStatements,
  historyTable,
  segmentTables,
  type SegmentTables,
} from './segment-tables.js';

/**
 * A TypeORM migration that creates the tables of `sqlSegmentStore`, and drops them when reverted. Add it to the `migrations`
 * of the DataSource. Existing tables stay as they are. For another `tableName`, extend it and override `name` and
 * `tableName`.
 */
export class CreateSegmentTables1767225600002 implements MigrationInterface {
  /** The name that TypeORM stores in its table of migrations. */
  readonly name: string = 'CreateSegmentTables1767225600002';
  /** The `tableName` of the store. */
  protected readonly tableName: string = DEFAULT_TABLE_NAME;

  /** Creates the missing tables. */
  async up(queryRunner: QueryRunner): Promise<void> {
    const place = this.placeIn(queryRunner);
    const statements = statementsOf(queryRunner, place);
    const create = createStates(place.tables, place.dialect);
    const history = await readableHistory(queryRunner, statements, {
      dialect: place.dialect,
      table: historyTable(place.tables),
      create,
    });
    await createTables(statements, { ...place, history });
  }

  /** Drops the tables with all counters. Stop every process that claims segments first. */
  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of dropStatements(this.placeIn(queryRunner).tables))
      await queryRunner.query(statement);
  }

  private placeIn({ connection }: QueryRunner): SqlPlace<SegmentTables> {
    const dialect = dialectOf(connection.options);
    return { tables: segmentTables(this.tableName, connection.options, dialect), dialect };
  }
}
