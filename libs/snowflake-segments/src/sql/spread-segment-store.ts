import { type Clock, SnowflakeError } from 'nestjs-snowflake/core';
import { type CallDeadline, StoreUnavailableError } from 'nestjs-snowflake/store';
import { deadlineIn, DEFAULT_CALL_TIMEOUT_MS } from 'nestjs-snowflake/internal/kit/call-deadline';
import { joined } from '../protocol/membership.js';
import type { Members } from '../protocol/segment-registry.js';
import type { MemberStore } from '../protocol/registry-segment-store.js';
import { refusalError } from '../store/segment-refusal.js';
import type {
  ClaimReply,
  GrantedReply,
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
} from '../store/segment-store.js';
import { returnTo } from '../store/store-calls.js';
import { ClaimRefusals } from './claim-refusals.js';
import { type MemberNeeds, SpreadMember } from './spread-member.js';
import { UnansweredClaims } from './unanswered-claims.js';

const UNKNOWN: ReturnOutcome = { status: 'fulfilled', value: { outcome: 'unknown' } };

/** What keeps two callers from getting the segment of one claim. A control replaces it. */
export interface SpreadMechanisms {
  readonly UnansweredClaims: typeof UnansweredClaims;
}

const SPREAD_MECHANISMS: SpreadMechanisms = { UnansweredClaims };

/**
 * Spreads claims over several databases, each of which serves its own residue of the numbers. A claim goes to another
 * database if one fails. The token of a segment ends in the index of its database.
 */
export class SpreadSegmentStore implements SegmentStore {
  /** Those that failed last are asked last. */
  private members: readonly SpreadMember[];
  /** How to create a tag in a database that doesn't have it. */
  private readonly tags = new Map<string, TagRequest>();
  /** Tags that were sent to all databases. */
  private readonly known = new Set<string>();
  private readonly creating = new Set<Promise<unknown>>();
  private announced = 0;
  private callTimeoutMs = DEFAULT_CALL_TIMEOUT_MS;

  constructor(
    stores: readonly MemberStore[],
    private readonly clock: Clock,
    mechanisms: SpreadMechanisms = SPREAD_MECHANISMS,
  ) {
    this.members = stores.map((store, index) => {
      const unanswered = new mechanisms.UnansweredClaims(`.${index}`);
      return new SpreadMember(store, index, unanswered);
    });
  }

  get description(): string {
    return this.inOrder()
      .map(({ store }) => store.description)
      .join(', ');
  }

  get stride(): number {
    return this.members[0]?.store.stride ?? 1;
  }

  open(settings: { readonly callTimeoutMs: number }): void {
    this.callTimeoutMs = settings.callTimeoutMs;
    for (const { store } of this.members) store.open?.(settings);
  }

  async claim(claim: SegmentClaim, deadline = this.defaultDeadline()): Promise<ClaimReply> {
    for (const member of this.members) member.noteFinished(claim);
    const refusals = new ClaimRefusals(claim.tag);
    for (const [asked, member] of this.members.entries()) {
      const leftMs = deadline.remainingMs();
      if (asked > 0 && leftMs < 1) break;
      const share = deadlineIn(this.clock, Math.max(1, Math.floor(leftMs / (this.members.length - asked))));
      try {
        const reply = await member.claim(claim, this.needsOf(member, claim), share);
        if (reply.outcome === 'granted') {
          this.noteGrant(member, claim, reply);
          return { ...reply, database: member.description, failed: refusals.failed };
        }
        refusals.note(member.description, reply);
      } catch (error) {
        refusals.noteError(member.description, error);
      }
    }
    return refusals.reply();
  }

  /** Claims once more what a database may have granted without a reply, and gives it back. */
  async returnLost(tag: string, deadline?: CallDeadline): Promise<void> {
    const outcomes = await Promise.allSettled(
      this.members.flatMap((member) => member.returnLost(tag, deadline)),
    );
    if (outcomes.some(({ status }) => status === 'rejected')) throw firstReason(outcomes);
  }

  returnRemainder(rest: SegmentReturn, deadline?: CallDeadline): Promise<ReturnReply> {
    const member = this.members.find((each) => each.owns(rest.token));
    return member ? member.store.returnRemainder(rest, deadline) : Promise.resolve({ outcome: 'unknown' });
  }

  /** Gives back to all databases at a time. */
  async returnRemainders(
    rests: readonly SegmentReturn[],
    deadline?: CallDeadline,
  ): Promise<readonly ReturnOutcome[]> {
    const outcomes = new Map<SegmentReturn, ReturnOutcome>();
    await Promise.all(
      this.members.map(async (member) => {
        const own = rests.filter(({ token }) => member.owns(token));
        const [answer] = await Promise.allSettled(
          own.length > 0 ? [returnTo(member.store, own, deadline)] : [],
        );
        for (const [at, rest] of own.entries()) {
          outcomes.set(
            rest,
            answer?.status === 'fulfilled' ? (answer.value[at] ?? UNKNOWN) : (answer ?? UNKNOWN),
          );
        }
      }),
    );
    return rests.map((rest) => outcomes.get(rest) ?? UNKNOWN);
  }

  /** Creates the tag wherever a database answers; the others get it with a later claim. */
  async create(tag: TagRequest, deadline?: CallDeadline): Promise<TagReply> {
    this.tags.set(tag.tag, tag);
    const outcomes = await Promise.allSettled(this.members.map(({ store }) => store.create(tag, deadline)));
    const replies = outcomes.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    const [reply] = replies.toSorted((one, other) => rankOf(one) - rankOf(other));
    if (reply) return reply;
    throw firstReason(outcomes);
  }

  async inspect(): Promise<StoreSnapshot> {
    const snapshots = await Promise.all(this.inOrder().map(({ store }) => store.inspect()));
    const lost = snapshots.find((snapshot) => snapshot.lost !== undefined)?.lost;
    const tags = snapshots.flatMap((snapshot) => snapshot.tags);
    const names = [...new Set(tags.map(({ tag }) => tag))];
    return { ...(lost && { lost }), tags: names.map((name) => mergedTag(name, tags)) };
  }

  /** Every database must answer: one that was not resumed would repeat numbers later. */
  async resume(highest: Readonly<Record<string, number>>): Promise<ResumeReply> {
    const replies = await Promise.all(this.members.map(({ store }) => store.resume(highest)));
    const missing = replies.flatMap((reply) => (reply.outcome === 'missing' ? reply.tags : []));
    return missing.length > 0 ? { outcome: 'missing', tags: [...new Set(missing)] } : { outcome: 'resumed' };
  }

  async close(): Promise<void> {
    await Promise.all(this.creating);
    await Promise.all(this.members.map(({ store }) => store.close()));
  }

  /**
   * Stores in all other databases that this one serves the tag. Each must answer: only then can any of them show that this
   * database has granted numbers, should an empty one ever stand in its place. Returns a refusal if one stands there now.
   *
   * @throws StoreUnavailableError if a database doesn't answer, or has itself lost claims
   */
  private async announce(
    { store }: SpreadMember,
    { tag, token }: SegmentClaim,
    deadline: CallDeadline,
  ): Promise<Refusal | undefined> {
    // The token of a claim comes once, and a claim can be tried several times.
    this.announced += 1;
    const member = await store.member(tag, `${token}.${this.announced}`, deadline);
    if (!member)
      throw new StoreUnavailableError(
        `${store.description} lost the tag "${tag}" during this claim. The claim is tried again.`,
      );
    if (member.isAnnounced) return undefined;
    const others = this.members.filter((each) => each.store !== store);
    const replies = await Promise.all(
      others.map(async (other) => ({ other, reply: await other.store.introduce(tag, member, deadline) })),
    );
    let members: Members | undefined = {};
    for (const { other, reply } of replies) {
      if (reply.outcome === 'noted') members &&= joined(members, reply.members);
      else if (reply.outcome === 'lost' && reply.reason === 'replaced') return reply;
      else if (reply.outcome === 'lost') {
        const cause = refusalError(tag, other.description, reply);
        const problem = `${store.description} grants numbers of the tag "${tag}" only when all other databases have recorded that`;
        throw new StoreUnavailableError(`${problem}, but one refuses: ${cause.message}`, cause);
      }
    }
    if (!members) return { outcome: 'lost', reason: 'replaced' };
    await store.admit(tag, member, members, deadline);
    return undefined;
  }

  private needsOf(member: SpreadMember, claim: SegmentClaim): MemberNeeds {
    return {
      missing: this.tags.get(claim.tag),
      announce: (deadline) => this.announce(member, claim, deadline),
    };
  }

  private noteGrant(granted: SpreadMember, claim: SegmentClaim, reply: GrantedReply): void {
    for (const member of this.members) member.abandon(claim);
    this.askFirst(granted);
    if (!this.known.has(claim.tag)) this.createElsewhere(granted, claim, reply);
  }

  /**
   * Creates a tag in the other databases, such as one that was added: otherwise none could serve while this one is down. There
   * it starts behind the numbers just granted, which are all above those that were in use before the tag was created.
   */
  private createElsewhere(
    granted: SpreadMember,
    claim: SegmentClaim,
    { first, count, step }: GrantedReply,
  ): void {
    const { tag } = claim;
    this.known.add(tag);
    const request = this.tags.get(tag) ?? { tag, first: first + count * this.stride, step };
    this.tags.set(tag, request);
    const others = this.members.filter((member) => member !== granted);
    // No claim waits for that. Where it fails, the next claim creates the tag.
    const creation = Promise.allSettled(
      others.map(async (member) => {
        await member.store.create(request, this.defaultDeadline());
        await this.announce(member, claim, this.defaultDeadline());
      }),
    );
    this.creating.add(creation);
    void creation.then(() => this.creating.delete(creation));
  }

  /** Takes turns among those that answer: the one that has granted goes behind them, in front of those that failed. */
  private askFirst(granted: SpreadMember): void {
    const at = this.members.indexOf(granted);
    const failed = this.members.slice(0, at);
    this.members = [...this.members.slice(at + 1), granted, ...failed];
  }

  private inOrder(): SpreadMember[] {
    return this.members.toSorted((one, other) => one.index - other.index);
  }

  private defaultDeadline(): CallDeadline {
    return deadlineIn(this.clock, this.callTimeoutMs);
  }
}

function mergedTag(tag: string, all: readonly TagSnapshot[]): TagSnapshot {
  const own = all.filter((each) => each.tag === tag);
  return {
    tag,
    next: Math.max(...own.map(({ next }) => next)),
    step: own[0]?.step ?? 0,
    rests: own.flatMap(({ rests }) => rests),
    held: own.flatMap(({ held }) => held),
  };
}

function rankOf({ outcome }: TagReply): number {
  return ['created', 'exists', 'lost'].indexOf(outcome);
}

function firstReason(outcomes: readonly PromiseSettledResult<unknown>[]): SnowflakeError {
  const reasons = outcomes.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
  const known = reasons.find((reason) => reason instanceof SnowflakeError);
  return (
    known ??
    new StoreUnavailableError('None of the databases answered. Check that they are reachable.', reasons[0])
  );
}
