import { type CallDeadline, StoreUnavailableError } from 'nestjs-snowflake/store';
import type { MemberStore } from '../protocol/registry-segment-store.js';
import type { ClaimReply, Refusal, SegmentClaim, TagRequest } from '../store/segment-store.js';
import type { UnansweredClaim, UnansweredClaims } from './unanswered-claims.js';

/** What one of several databases needs to grant a segment. */
export interface MemberNeeds {
  /** How to create the tag if this database doesn't have it. */
  readonly missing: TagRequest | undefined;
  /** Introduces the database to all others. Returns the refusal of one that knows another database in its place. */
  readonly announce: (deadline: CallDeadline) => Promise<Refusal | undefined>;
}

/** One of several databases, and what it must still be sent. */
export class SpreadMember {
  /** By tag: segments that are used up. */
  private readonly finished = new Map<string, readonly string[]>();

  constructor(
    readonly store: MemberStore,
    readonly index: number,
    private readonly unanswered: UnansweredClaims,
  ) {}

  get description(): string {
    return this.store.description;
  }

  /** Whether this database has granted the segment of a token. */
  owns(token: string): boolean {
    return Number(token.slice(token.lastIndexOf('.') + 1)) === this.index;
  }

  /** Notes which of its segments are used up, for the next claim. */
  noteFinished({ tag, finished }: SegmentClaim): void {
    const own = finished.filter((token) => this.owns(token));
    if (own.length > 0) this.finished.set(tag, [...new Set([...(this.finished.get(tag) ?? []), ...own])]);
  }

  async claim(claim: SegmentClaim, needs: MemberNeeds, deadline: CallDeadline): Promise<ClaimReply> {
    const { tag } = claim;
    const own = this.unanswered.begin(claim);
    const finished = this.finished.get(tag) ?? [];
    const request = { tag, token: own.token, count: own.count, finished };
    try {
      const reply = await this.ask(request, needs, deadline);
      this.unanswered.answered(tag, own);
      this.forgetFinished(tag, finished);
      return reply;
    } catch (error) {
      this.unanswered.failed(own);
      throw error;
    }
  }

  /** Notes that the caller has numbers from another claim, and needs none of those without a reply. */
  abandon(claim: SegmentClaim): void {
    this.unanswered.abandon(claim);
  }

  /** Claims once more what it may have granted without a reply, and returns it. */
  returnLost(tag: string, deadline?: CallDeadline): Promise<void>[] {
    return this.unanswered.beginAbandoned(tag).map((claim) => this.returnClaim(tag, claim, deadline));
  }

  private async ask(
    claim: SegmentClaim,
    { missing, announce }: MemberNeeds,
    deadline: CallDeadline,
  ): Promise<ClaimReply> {
    let reply = await this.store.claimAsMember(claim, deadline);
    if (reply.outcome === 'unknown-tag' && missing) {
      const created = await this.store.create(missing, deadline);
      if (created.outcome === 'lost') return created;
      reply = await this.store.claimAsMember(claim, deadline);
    }
    if (reply.outcome !== 'unannounced') return reply;
    const refusal = await announce(deadline);
    if (refusal) return refusal;
    reply = await this.store.claimAsMember(claim, deadline);
    if (reply.outcome !== 'unannounced') return reply;
    throw new StoreUnavailableError(
      `${this.description} was resumed during this claim. The claim is tried again.`,
    );
  }

  private async returnClaim(tag: string, claim: UnansweredClaim, deadline?: CallDeadline): Promise<void> {
    try {
      const { token, count } = claim;
      const reply = await this.store.claimAsMember({ tag, token, count, finished: [] }, deadline);
      if (reply.outcome === 'granted') {
        await this.store.returnRemainder(
          { tag, token: reply.token, first: reply.first, count: reply.count },
          deadline,
        );
      }
      this.unanswered.answered(tag, claim);
    } catch (error) {
      this.unanswered.failed(claim);
      throw error;
    }
  }

  private forgetFinished(tag: string, sent: readonly string[]): void {
    const left = this.finished.get(tag)?.filter((token) => !sent.includes(token)) ?? [];
    if (left.length > 0) this.finished.set(tag, left);
    else this.finished.delete(tag);
  }
}
