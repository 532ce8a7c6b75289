import type { SnowflakeError } from 'nestjs-snowflake/core';
import type { CallDeadline } from 'nestjs-snowflake/store';

/** A request for a segment. */
export interface SegmentClaim {
  readonly tag: string;
  /** Made before the first attempt and kept for retries: the same token gets the same segment. */
  readonly token: string;
  /** How many numbers are wanted. Returned numbers, or the end of the range, can be fewer. */
  readonly count: number;
  /** Tokens of segments that this process has used up. The store deletes them. */
  readonly finished: readonly string[];
}

/** Why a store grants nothing, although the tag may exist. */
export type LossReason =
  /**
   * The history ID of the server has changed: a failover, a restored backup, or a restart that may have lost commits.
   */
  | 'history'
  /** The counter is lower than a number that was granted: it was restored to an older value. */
  | 'restored'
  /** Another database has served at the position of this one, which is one of several. */
  | 'replaced';

/** The store refuses all claims until an operator has passed the highest numbers to `resume`. */
export interface Refusal {
  readonly outcome: 'lost';
  readonly reason: LossReason;
}

/** The reply to a {@link SegmentClaim}. */
export type ClaimReply =
  | {
      readonly outcome: 'granted';
      /** Identifies the segment when its unused numbers are returned. Starts with the token of the claim. */
      readonly token: string;
      readonly first: number;
      readonly count: number;
      /** The step in the table. */
      readonly step: number;
      /** Which of several databases has granted the segment. */
      readonly database?: string;
      /** The databases that were asked before and could not grant a segment. */
      readonly failed?: readonly DatabaseFailure[];
    }
  /** The segment of this token was already returned. Claim with a new token. */
  | { readonly outcome: 'spent' }
  | { readonly outcome: 'unknown-tag' }
  /** The next number would be above `Number.MAX_SAFE_INTEGER`. */
  | { readonly outcome: 'ended' }
  /** The tag has another stride or remainder. */
  | { readonly outcome: 'stride'; readonly stored: string; readonly own: string }
  | Refusal;

/** The reply that grants a segment. */
export type GrantedReply = Extract<ClaimReply, { outcome: 'granted' }>;

/** Why one of several databases grants nothing. */
export interface DatabaseFailure {
  /** Names the database, without secrets. */
  readonly database: string;
  readonly error: SnowflakeError;
}

/** The unused numbers of a segment, which a process returns. None of them may be issued once the call has begun. */
export interface SegmentReturn {
  readonly tag: string;
  readonly token: string;
  /** The first unused number. */
  readonly first: number;
  /** How many numbers are left; 0 if all are used. */
  readonly count: number;
}

/** The reply to a {@link SegmentReturn}. */
export type ReturnReply =
  /** The next claim can get these numbers. */
  | { readonly outcome: 'returned' }
  /** The store does not have this segment, or its history has changed: the numbers remain a gap. */
  | { readonly outcome: 'unknown' };

/** The reply to one of several returns, or the error, as `Promise.allSettled()` has it. */
export type ReturnOutcome = PromiseSettledResult<ReturnReply>;

/** A new tag. */
export interface TagRequest {
  readonly tag: string;
  /** Its first number. */
  readonly first: number;
  readonly step: number;
  readonly description?: string;
}

/** The reply to a {@link TagRequest}. */
export type TagReply = { readonly outcome: 'created' | 'exists' } | Refusal;

/** The reply to {@link SegmentStore.resume}. */
export type ResumeReply =
  | { readonly outcome: 'resumed' }
  /** The highest numbers of these tags are missing. Nothing was changed. */
  | { readonly outcome: 'missing'; readonly tags: readonly string[] };

/** What a store holds of a tag. */
export interface TagSnapshot {
  readonly tag: string;
  /** The first number that no claim has taken. */
  readonly next: number;
  readonly step: number;
  /** Unused numbers that were returned, and that the next claims get. */
  readonly rests: readonly { readonly first: number; readonly count: number }[];
  /** Segments that processes hold, or held when they crashed. */
  readonly held: readonly { readonly token: string; readonly first: number; readonly count: number }[];
}

/** What a store holds. */
export interface StoreSnapshot {
  /** Why the store refuses all claims, if it does. */
  readonly lost?: LossReason;
  readonly tags: readonly TagSnapshot[];
}

/**
 * Keeps tags and their counters. Every call is atomic, and two segments of a tag never share a number.
 *
 * A call throws StoreUnavailableError for a problem that can pass by itself, and StoreRejectedError for one that only
 * an operator can solve.
 */
export interface SegmentStore {
  /** Names the store in messages. Contains no secret. */
  readonly description: string;
  /** The distance between two numbers. */
  readonly stride: number;
  /** Prepares the store. It can be called again after {@link close}. */
  open?(settings: { readonly callTimeoutMs: number }): void;
  /** Grants a segment: numbers that were returned, or else new ones. */
  claim(claim: SegmentClaim, deadline?: CallDeadline): Promise<ClaimReply>;
  /** Takes back the unused numbers of a segment. A retry changes nothing. */
  returnRemainder(rest: SegmentReturn, deadline?: CallDeadline): Promise<ReturnReply>;
  /**
   * Takes back the unused numbers of many segments, of several tags, in one transaction. A retry changes nothing.
   * Without this method, segments are returned one by one.
   *
   * @returns the outcomes in the order of `rests`, because one of several databases can fail alone
   */
  returnRemainders?(
    rests: readonly SegmentReturn[],
    deadline?: CallDeadline,
  ): Promise<readonly ReturnOutcome[]>;
  /**
   * Returns the segments whose replies were lost and that no caller claims again. Called when a process has stopped
   * issuing the tag. Only a store that sends claims to several databases needs this method. All attempts of a claim must go to the
   * same object of such a store.
   */
  returnLost?(tag: string, deadline?: CallDeadline): Promise<void>;
  /** Creates a tag unless it exists. */
  create(tag: TagRequest, deadline?: CallDeadline): Promise<TagReply>;
  /** Returns all tags, with their returned numbers and the segments that are held. */
  inspect(): Promise<StoreSnapshot>;
  /**
   * Resumes claims after a loss. The operator asserts, for each tag, that no number above `highest` was ever issued.
   * Deletes all earlier segments and returned numbers, and never lowers a counter. A tag of `highest` that the store
   * lacks was lost as a whole, and is created.
   *
   * @param highest the highest number of every tag that was ever claimed here; 0 for a tag without numbers
   */
  resume(highest: Readonly<Record<string, number>>): Promise<ResumeReply>;
  close(): Promise<void>;
}
