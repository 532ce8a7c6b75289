import { type Clock, SnowflakeError, StoreUnavailableError } from '../../core/index.js';
import { deadlineIn } from '../../lease/call-deadline.js';
import type { CallDeadline } from '../../lease/lease-store.js';
import type { GrantedReply } from '../segment-claimer.js';
import { refusalError } from '../segment-refusal.js';
import type {
  ClaimReply,
  DatabaseFailure,
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
} from '../segment-store.js';
import { asSnowflakeError, giveBackTo } from '../store-calls.js';
import { type UnansweredClaim, UnansweredClaims } from './unanswered-claims.js';

const DEFAULT_CALL_TIMEOUT_MS = 2000;
const UNKNOWN: ReturnOutcome = { status: 'fulfilled', value: { outcome: 'unknown' } };

/** One of several databases, and what it still has to hear. */
interface Member {
  readonly store: SegmentStore;
  readonly index: number;
  readonly unanswered: UnansweredClaims;
  /** By tag: segments that are used up. */
  readonly finished: Map<string, readonly string[]>;
}

/** How the members that were asked have answered a claim without granting it. */
class Refusals {
  readonly failed: DatabaseFailure[] = [];
  private isUnknown = false;
  private first: ClaimReply | undefined;
  private error: unknown;

  constructor(private readonly tag: string) {}

  note(member: Member, reply: Exclude<ClaimReply, { outcome: 'granted' }>): void {
    if (reply.outcome === 'unknown-tag') this.isUnknown = true;
    else this.first ??= reply;
    const { description: database } = member.store;
    if (reply.outcome !== 'spent' && reply.outcome !== 'unknown-tag')
      this.failed.push({ database, error: refusalError(this.tag, database, reply) });
  }

  noteError({ store: { description: database } }: Member, error: unknown): void {
    this.error ??= error;
    this.failed.push({ database, error: asSnowflakeError(error, database) });
  }

  /** Returns the reply of all. @throws the first error, since what failed can pass */
  reply(): ClaimReply {
    if (this.error !== undefined) {
      if (!this.isUnknown) throw this.error;
      throw new StoreUnavailableError(
        `No database that answers knows the tag "${this.tag}". Another one may know it, so it is not created before all answer`,
        this.error,
      );
    }
    return this.first ?? { outcome: 'unknown-tag' };
  }
}

/**
 * Spreads claims over several databases, each of which serves its own residue of the numbers. A claim goes to another
 * database if one fails. The token of a segment ends in the index of its database.
 */
export class SpreadSegmentStore implements SegmentStore {
  /** Those that failed last are asked last. */
  private members: readonly Member[];
  /** How to create a tag in a database that doesn't have it. */
  private readonly tags = new Map<string, TagRequest>();
  /** Tags that all databases have been told of. */
  private readonly known = new Set<string>();
  private readonly creating = new Set<Promise<unknown>>();

  /** @param makeUnanswered what keeps claims without a reply, for a control that breaks it */
  constructor(
    stores: readonly SegmentStore[],
    private readonly clock: Clock,
    makeUnanswered: (suffix: string) => UnansweredClaims = (suffix) => new UnansweredClaims(suffix),
  ) {
    this.members = stores.map((store, index) => ({
      store,
      index,
      unanswered: makeUnanswered(`.${index}`),
      finished: new Map(),
    }));
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
    for (const { store } of this.members) store.open?.(settings);
  }

  async claim(claim: SegmentClaim, deadline = this.defaultDeadline()): Promise<ClaimReply> {
    this.noteFinished(claim);
    const refusals = new Refusals(claim.tag);
    for (const [asked, member] of this.members.entries()) {
      const leftMs = deadline.remainingMs();
      if (asked > 0 && leftMs < 1) break;
      const share = deadlineIn(this.clock, Math.max(1, leftMs / (this.members.length - asked)));
      try {
        const reply = await this.claimFrom(member, claim, share);
        if (reply.outcome === 'granted') {
          this.noteGrant(member, claim, reply);
          return { ...reply, database: member.store.description, failed: refusals.failed };
        }
        refusals.note(member, reply);
      } catch (error) {
        refusals.noteError(member, error);
      }
    }
    return refusals.reply();
  }

  /** Claims once more what a database may have granted without a reply, and gives it back. */
  async giveBackLost(tag: string, deadline?: CallDeadline): Promise<void> {
    const lost = this.members.flatMap((member) =>
      member.unanswered.beginAbandoned(tag).map((claim) => ({ member, claim })),
    );
    const outcomes = await Promise.allSettled(
      lost.map(({ member, claim }) => returnLost(member, tag, claim, deadline)),
    );
    if (outcomes.some(({ status }) => status === 'rejected')) throw firstReason(outcomes);
  }

  giveBack(rest: SegmentReturn, deadline?: CallDeadline): Promise<ReturnReply> {
    const member = this.members.find((each) => each.index === indexIn(rest.token));
    return member ? member.store.giveBack(rest, deadline) : Promise.resolve({ outcome: 'unknown' });
  }

  /** Gives back to all databases at a time. */
  async giveBackMany(
    rests: readonly SegmentReturn[],
    deadline?: CallDeadline,
  ): Promise<readonly ReturnOutcome[]> {
    const outcomes = new Map<SegmentReturn, ReturnOutcome>();
    await Promise.all(
      this.members.map(async ({ store, index }) => {
        const own = rests.filter(({ token }) => indexIn(token) === index);
        const [answer] = await Promise.allSettled(own.length > 0 ? [giveBackTo(store, own, deadline)] : []);
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

  /** Every database must answer: a database without the word would repeat numbers later. */
  async resume(highest: Readonly<Record<string, number>>): Promise<ResumeReply> {
    const replies = await Promise.all(this.members.map(({ store }) => store.resume(highest)));
    const missing = replies.flatMap((reply) => (reply.outcome === 'missing' ? reply.tags : []));
    return missing.length > 0 ? { outcome: 'missing', tags: [...new Set(missing)] } : { outcome: 'resumed' };
  }

  async close(): Promise<void> {
    await Promise.all(this.creating);
    await Promise.all(this.members.map(({ store }) => store.close()));
  }

  private async claimFrom(member: Member, claim: SegmentClaim, deadline: CallDeadline): Promise<ClaimReply> {
    const { tag } = claim;
    const { unanswered, finished, store } = member;
    const own = unanswered.begin(claim);
    const told = finished.get(tag) ?? [];
    const request = { tag, token: own.token, count: own.count, finished: told };
    try {
      let reply = await store.claim(request, deadline);
      const missing = this.tags.get(tag);
      if (reply.outcome === 'unknown-tag' && missing) {
        await store.create(missing, deadline);
        reply = await store.claim(request, deadline);
      }
      unanswered.answered(tag, own);
      const untold = finished.get(tag)?.filter((token) => !told.includes(token)) ?? [];
      if (untold.length > 0) finished.set(tag, untold);
      else finished.delete(tag);
      return reply;
    } catch (error) {
      unanswered.failed(tag, own);
      throw error;
    }
  }

  private noteGrant(granted: Member, claim: SegmentClaim, reply: GrantedReply): void {
    for (const { unanswered } of this.members) unanswered.abandon(claim);
    this.askFirst(granted);
    if (!this.known.has(claim.tag)) this.createElsewhere(granted, claim.tag, reply);
  }

  /**
   * Creates a tag in the other databases, such as one that was added: otherwise none could serve while this one is down. There
   * it starts behind the numbers just granted, which are all above those that were in use before the tag was created.
   */
  private createElsewhere(granted: Member, tag: string, { first, count, step }: GrantedReply): void {
    this.known.add(tag);
    const request = this.tags.get(tag) ?? { tag, first: first + count * this.stride, step };
    this.tags.set(tag, request);
    const others = this.members.filter((member) => member !== granted);
    // No claim waits for that. Where it fails, the next claim creates the tag.
    const creation = Promise.allSettled(
      others.map(({ store }) => store.create(request, this.defaultDeadline())),
    );
    this.creating.add(creation);
    void creation.then(() => this.creating.delete(creation));
  }

  private noteFinished({ tag, finished }: SegmentClaim): void {
    for (const { index, finished: pending } of this.members) {
      const own = finished.filter((token) => indexIn(token) === index);
      if (own.length > 0) pending.set(tag, [...new Set([...(pending.get(tag) ?? []), ...own])]);
    }
  }

  /** Takes turns among those that answer: the one that has granted goes behind them, in front of those that failed. */
  private askFirst(granted: Member): void {
    const at = this.members.indexOf(granted);
    const failed = this.members.slice(0, at);
    this.members = [...this.members.slice(at + 1), granted, ...failed];
  }

  private inOrder(): Member[] {
    return this.members.toSorted((one, other) => one.index - other.index);
  }

  private defaultDeadline(): CallDeadline {
    return deadlineIn(this.clock, DEFAULT_CALL_TIMEOUT_MS);
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

async function returnLost(
  { store, unanswered }: Member,
  tag: string,
  claim: UnansweredClaim,
  deadline?: CallDeadline,
): Promise<void> {
  try {
    const { token, count } = claim;
    const reply = await store.claim({ tag, token, count, finished: [] }, deadline);
    if (reply.outcome === 'granted') {
      await store.giveBack({ tag, token: reply.token, first: reply.first, count: reply.count }, deadline);
    }
    unanswered.answered(tag, claim);
  } catch (error) {
    unanswered.failed(tag, claim);
    throw error;
  }
}

/** The index of the database that has granted a segment. */
function indexIn(token: string): number {
  return Number(token.slice(token.lastIndexOf('.') + 1));
}

function rankOf({ outcome }: TagReply): number {
  return ['created', 'exists', 'lost'].indexOf(outcome);
}

function firstReason(outcomes: readonly PromiseSettledResult<unknown>[]): SnowflakeError {
  const reasons = outcomes.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
  const known = reasons.find((reason) => reason instanceof SnowflakeError);
  return known ?? new StoreUnavailableError('No database has answered', reasons[0]);
}
