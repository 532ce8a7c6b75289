import type { SqlContent } from '../../kit/sql/content.js';
import type { StoreRemedies } from '../../kit/sql/errors.js';
import { createTables } from './create-tables.js';
import type { SqlDatabaseSource } from '../../kit/sql/database-choice.js';
import type { SqlSegmentSettings } from './sql-segment-options.js';
import { historyTable, probeStatements, segmentTables, type SegmentTables } from './segment-tables.js';
import { SqlSegmentRegistry } from './sql-segment-registry.js';

const REMEDIES: StoreRemedies = {
  missingTables: 'Run the migration CreateSegmentTables1767225600002, or set createTable: true.',
  missingRights:
    'Give its user SELECT, INSERT, UPDATE and DELETE on the three tables, and also CREATE if createTable is true.',
  noHistory: 'If it never loses an acknowledged commit, set assumeNoLostWrites: true.',
};

/** Returns what a segment store keeps in one database. */
export function segmentContent(
  { tableName, createTable, assumeNoLostWrites, possibleLoss }: SqlSegmentSettings,
  dataSource: SqlDatabaseSource,
  description: string,
): SqlContent<SegmentTables, SqlSegmentRegistry> {
  return {
    dataSource,
    connectionName: 'snowflake:segments',
    createTable,
    assumeNoLostWrites,
    remedies: REMEDIES,
    sharedUnlocked: 'a segment could be granted',
    tables: (options, dialect) => segmentTables(tableName, options, dialect),
    historyTable,
    names: ({ names: { schema, counters, states, claims } }) => ({
      schema,
      tables: [counters, states, claims],
    }),
    probe: probeStatements,
    create: (statements, place) => createTables(statements, { ...place, possibleLoss }),
    registry: (statements, place) =>
      new SqlSegmentRegistry(statements, { ...place, possibleLoss }, description),
  };
}
