export { HistoryChangedError, SegmentExhaustedError, SnowflakeError, UnknownTagError } from './core/index.js';
export type { CallDeadline } from './lease/index.js';
export { memorySegmentStore } from './segments/memory/index.js';
export {
  getSegmentToken,
  InjectSegment,
  SegmentModule,
  type SegmentModuleAsyncOptions,
  type SegmentModuleExtras,
  type SegmentModuleOptions,
  type SegmentOptionsFactory,
} from './segments/nest/index.js';
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
export {
  CreateSnowflakeSegmentTables1767225600002,
  type PossibleLoss,
  type SqlDatabaseSource,
  sqlSegmentStore,
  type SqlSegmentStoreOptions,
  type SqlStoreOptions,
} from './segments/sql/index.js';
