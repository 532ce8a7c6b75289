/**
 * What your own segment store implements.
 *
 * @module
 */
export type {
  ClaimReply,
  DatabaseFailure,
  GrantedReply,
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
} from './store/segment-store.js';
