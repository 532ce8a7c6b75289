import type { LossReason } from '../store/segment-store.js';

/** The counter of a tag. */
export interface Counter {
  /** The first number that no claim has taken. Leaf calls it `max_id`. */
  readonly next: number;
  readonly step: number;
}

/** What a tag's counter does not say. */
export interface TagState {
  /** The end of the highest segment that is known to be granted. */
  readonly knownUntil: number;
  readonly stride: number;
  readonly remainder: number;
  readonly membership: Membership;
}

/** By remainder: the IDs of the databases that serve a tag. */
export type Members = Readonly<Record<number, string>>;

/** What one of several databases knows of all that serve a tag. */
export interface Membership {
  /** Its own ID, made when it was first asked for numbers. Another database in its place has another one. */
  readonly id?: string;
  /** Its own ID is among them when all others have stored it. */
  readonly known: Members;
}

/** A segment that was granted, or a rest that was returned. */
export interface ClaimRow {
  readonly token: string;
  readonly first: number;
  readonly count: number;
  readonly isRest: boolean;
}

/** A segment of numbers that were never granted, and what it moves. */
export interface NewSegment {
  /** The counter before. */
  readonly next: number;
  /** {@link TagState.knownUntil} before. */
  readonly knownUntil: number;
  /** Both after it: the end of the segment. */
  readonly end: number;
  readonly row: ClaimRow;
}

/**
 * The data that the protocol of segments needs, within one transaction. The protocol decides; the registry reads and writes.
 * Every write names what it replaces and fails if that has changed.
 */
export interface SegmentRegistry {
  /**
   * Reads the counter of a tag, and blocks all other transactions of the tag. `undefined` without such a tag.
   *
   * @param token of the segment that is claimed or returned: what the protocol asks next may be read in the same round trip
   */
  lock(tag: string, token?: string): Promise<Counter | undefined>;
  /** Locks and returns all tags, including those of other programs. */
  lockAll(): Promise<readonly string[]>;
  /** Returns the tags that have a state, because this library has claimed or created them. */
  claimedTags(): Promise<readonly string[]>;
  /** Returns why the server may lack counters that were written. */
  serverLoss(): Promise<LossReason | undefined>;
  /** Stores the present history. */
  acceptHistory(): Promise<void>;
  findState(tag: string): Promise<TagState | undefined>;
  addState(tag: string, state: TagState): Promise<void>;
  setKnownUntil(tag: string, from: number, to: number): Promise<void>;
  setMembership(tag: string, from: Membership, to: Membership): Promise<void>;
  /** Adds a tag. Fails with a conflict if it exists by now. */
  addCounter(tag: string, counter: Counter, description: string | undefined): Promise<void>;
  /** Moves the counter from one number to a higher one. */
  advance(tag: string, from: number, to: number): Promise<void>;
  /** Moves the counter and what is known, and adds the segment. It is the last write of its transaction. */
  grantNew(tag: string, segment: NewSegment): Promise<void>;
  findClaim(token: string): Promise<ClaimRow | undefined>;
  addClaim(tag: string, row: ClaimRow): Promise<void>;
  /** Replaces a row, whose token may change. */
  replaceClaim(from: ClaimRow, to: ClaimRow): Promise<void>;
  removeClaims(tokens: readonly string[]): Promise<void>;
  /** Removes all segments and rests of a tag. */
  forgetClaims(tag: string): Promise<void>;
  lowestRest(tag: string): Promise<ClaimRow | undefined>;
  /** Returns all segments and rests of a tag in ascending order. */
  claims(tag: string): Promise<readonly ClaimRow[]>;
}
