export { HistoryChangedError, SegmentExhaustedError, UnknownTagError } from './core/errors/segment-errors.js';
export { SnowflakeError } from './core/errors/snowflake-error.js';
export type { CallDeadline } from './lease/lease-store.js';
export { memorySegmentStore } from './segments/memory/memory-segment-store.js';
export { getSegmentToken, InjectSegment } from './segments/nest/segment.tokens.js';
export { SegmentModule } from './segments/nest/segment.module.js';
export type {
  SegmentModuleAsyncOptions,
  SegmentModuleExtras,
  SegmentModuleOptions,
  SegmentOptionsFactory,
} from './segments/nest/segment.module-definition.js';
export type { SegmentEvent, SegmentListener } from './segments/segment-events.js';
export { SegmentSource, type SegmentStatus } from './segments/segment-source.js';
export type {
  ClaimReply,
  DatabaseFailure,
  LossReason,
  Refusal,
  ResumeReply,
  ReturnOutcome,
  ReturnReply,
  SegmentClaim,
  SegmentReturn,
  SegmentStore,
  StoreSnapshot,
  TagReply,
  TagRequest,
  TagSnapshot,
} from './segments/segment-store.js';
export { Segments, type SegmentsDependencies } from './segments/segments.js';
export type { HighestNumber, SegmentsOptions, TagOptions } from './segments/segments-options.js';
export { CreateSnowflakeSegmentTables1767225600002 } from './segments/sql/create-segment-tables.js';
export type { PossibleLoss, SqlSegmentStoreOptions } from './segments/sql/sql-segment-options.js';
export type { SqlDatabaseSource, SqlStoreOptions } from './kit/sql/database/database-choice.js';
export { sqlSegmentStore } from './segments/sql/sql-segment-store.js';
