export { CreateSnowflakeSegmentTables1767225600002 } from './create-segment-tables.js';
export { sqlSegmentStore } from './sql-segment-store.js';
export type { SqlDatabaseSource, SqlStoreOptions } from '../../kit/sql/database/database-choice.js';
export type { PossibleLoss, SqlSegmentStoreOptions } from './sql-segment-options.js';
