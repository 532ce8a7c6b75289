/**
 * A Nest module for small, dense numbers, claimed in blocks from a SQL database.
 *
 * @module
 */
export { HistoryChangedError, SegmentExhaustedError, UnknownTagError } from './core/segment-errors.js';
export { memorySegmentStore } from './memory/memory-segment-store.js';
export type {
  SegmentModuleAsyncOptions,
  SegmentModuleExtras,
  SegmentModuleOptions,
  SegmentOptionsFactory,
} from './nest/segment.module-definition.js';
export { SegmentModule } from './nest/segment.module.js';
export { getSegmentToken, InjectSegment } from './nest/segment.tokens.js';
export type { SegmentEvent, SegmentListener } from './segments/segment-events.js';
export { SegmentSource, type SegmentStatus } from './segments/segment-source.js';
export { Segments, type SegmentsDependencies } from './segments/segments.js';
export type { HighestNumber, SegmentsOptions, TagOptions } from './segments/segments-options.js';
export { CreateSnowflakeSegmentTables1767225600002 } from './sql/create-segment-tables.js';
export type { PossibleLoss, SqlSegmentStoreOptions } from './sql/sql-segment-options.js';
export { sqlSegmentStore } from './sql/sql-segment-store.js';
export type { SegmentStore } from './store/segment-store.js';
