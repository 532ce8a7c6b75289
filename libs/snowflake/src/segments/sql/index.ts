export { CreateSegmentTables1767225600002 } from './create-segment-tables.js';
export { sqlSegmentStore } from './sql-segment-store.js';
export type { PossibleLoss, SegmentDatabase, SqlSegmentStoreOptions } from './sql-segment-options.js';
