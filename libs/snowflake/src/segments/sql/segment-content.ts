import type { SqlContent } from '../../kit/sql/content.js';
import type { SqlDatabaseSource } from '../../kit/sql/database-choice.js';
import type { SqlSegmentSettings } from './sql-segment-options.js';
import { SEGMENT_TABLES, type SegmentTableName } from './segment-tables.js';
import { SqlSegmentRegistry } from './sql-segment-registry.js';

/** Returns what a segment store keeps in one database. */
export function segmentContent(
  { tableName, createTable, assumeNoLostWrites, possibleLoss }: SqlSegmentSettings,
  dataSource: SqlDatabaseSource,
  description: string,
): SqlContent<SegmentTableName, SqlSegmentRegistry> {
  return {
    dataSource,
    connectionName: 'snowflake:segments',
    tables: SEGMENT_TABLES,
    tableName,
    createTable,
    assumeNoLostWrites,
    trustsRestarts: possibleLoss !== 'refuseRestarts',
    registry: (statements, place) => new SqlSegmentRegistry(statements, place, possibleLoss, description),
  };
}
