import type { SnowflakeError } from 'nestjs-snowflake/core';
import type { CallDeadline } from 'nestjs-snowflake/store';

/** A request for a segment. */
export interface SegmentClaim {
  readonly tag: string;
  /** Made before the first attempt and kept over retries: the same token gets the same segment. */
  readonly token: string;
  /** How many numbers are wanted. A rest or the end of the range can have fewer. */
  readonly count: number;
  /** Tokens of segments that this process has used up. The store forgets them. */
  readonly finished: readonly string[];
}

/** Why a store grants nothing, although the tag may exist. */
export type LossReason =
  /** The history ID of the server is another one: a failover, a restored backup, a restart that may have lost commits. */
  | 'history'
  /** The counter is lower than a number that was granted: it was restored to an older value. */
  | 'restored'
  /** Another one has served in the place of this database, one of several. */
  | 'replaced';

/** A store refuses until an operator has named the highest number. */
export interface Refusal {
  readonly outcome: 'lost';
  readonly reason: LossReason;
}

/** The reply to a {@link SegmentClaim}. */
export type ClaimReply =
  | {
      readonly outcome: 'granted';
      /** Identifies the segment when its rest is given back. Starts with the token of the claim. */
      readonly token: string;
      readonly first: number;
      readonly count: number;
      /** The step in the table. */
      readonly step: number;
      /** Which of several databases has granted the segment. */
      readonly database?: string;
      /** The databases that were asked before it and could not grant one. */
      readonly failed?: readonly DatabaseFailure[];
    }
  /** The segment of this token was given back. Claim with a new token. */
  | { readonly outcome: 'spent' }
  | { readonly outcome: 'unknown-tag' }
  /** The next number would be above `Number.MAX_SAFE_INTEGER`. */
  | { readonly outcome: 'ended' }
  /** Another stride or remainder belongs to the tag. */
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

/** The rest of a segment, given back. No number of it may be issued after the call began. */
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
  /** The rest serves the next claim. */
  | { readonly outcome: 'returned' }
  /** The store does not know this segment, or its history has changed: the rest stays a gap. */
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
  /** The operator has named no highest number for these tags. Nothing was changed. */
  | { readonly outcome: 'missing'; readonly tags: readonly string[] };

/** What a store knows of a tag. */
export interface TagSnapshot {
  readonly tag: string;
  /** The first number that no claim has taken. */
  readonly next: number;
  readonly step: number;
  /** Rests that were given back and wait for the next claim. */
  readonly rests: readonly { readonly first: number; readonly count: number }[];
  /** Segments that processes hold, or held when they crashed. */
  readonly held: readonly { readonly token: string; readonly first: number; readonly count: number }[];
}

/** What a store knows. */
export interface StoreSnapshot {
  /** Why it refuses all claims, if it does. */
  readonly lost?: LossReason;
  readonly tags: readonly TagSnapshot[];
}

/**
 * Where tags and their counters live. Every call is atomic, and two segments of a tag never share a number.
 *
 * A call throws StoreUnavailableError for what can pass, and StoreRejectedError for what only an operator can change.
 */
export interface SegmentStore {
  /** Names the store in messages. Contains no secret. */
  readonly description: string;
  /** The distance of two numbers. */
  readonly stride: number;
  /** Prepares the store. It is called again after {@link close}. */
  open?(settings: { readonly callTimeoutMs: number }): void;
  /** Grants a segment: a rest that was given back, or else new numbers. */
  claim(claim: SegmentClaim, deadline?: CallDeadline): Promise<ClaimReply>;
  /** Takes the rest of a segment back. A retry changes nothing. */
  giveBack(rest: SegmentReturn, deadline?: CallDeadline): Promise<ReturnReply>;
  /**
   * Takes many rests back, of several tags, in one transaction. A retry changes nothing. Without this method, they are given
   * back one by one.
   *
   * @returns the outcomes in the order of `rests`, since one of several databases can fail alone
   */
  giveBackMany?(rests: readonly SegmentReturn[], deadline?: CallDeadline): Promise<readonly ReturnOutcome[]>;
  /**
   * Gives back what was granted in replies that got lost and that no caller asks for again. Called when a process has stopped
   * issuing the tag. A store that sends a claim to one place only has none.
   */
  giveBackLost?(tag: string, deadline?: CallDeadline): Promise<void>;
  /** Creates a tag unless it exists. */
  create(tag: TagRequest, deadline?: CallDeadline): Promise<TagReply>;
  /** Returns all tags, with their rests and the segments that are held. */
  inspect(): Promise<StoreSnapshot>;
  /**
   * Resumes claims after a loss. The operator asserts that no number above `highest` was ever issued, tag by tag. Forgets all
   * earlier segments and rests, and never lowers a counter. A named tag that is missing was lost as a whole, and is created.
   *
   * @param highest the highest number of every tag that has been claimed here; 0 for one without numbers
   */
  resume(highest: Readonly<Record<string, number>>): Promise<ResumeReply>;
  close(): Promise<void>;
}
