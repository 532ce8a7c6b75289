import { type Clock, SnowflakeError, StoreUnavailableError } from '../../core/index.js';
import { deadlineIn } from '../../lease/call-deadline.js';
import type { CallDeadline } from '../../lease/lease-store.js';
import type {
  ClaimReply,
  ResumeReply,
  ReturnReply,
  SegmentClaim,
  SegmentReturn,
  SegmentStore,
  StoreSnapshot,
  TagReply,
  TagRequest,
  TagSnapshot,
} from '../segment-store.js';

const DEFAULT_CALL_TIMEOUT_MS = 2000;

/** One of several databases, and what it still has to hear. */
interface Member {
  readonly store: SegmentStore;
  readonly index: number;
  /** By tag: the token of a claim without a reply. Asked again, it grants the same segment. */
  readonly unanswered: Map<string, { readonly token: string; readonly count: number }>;
  /** By tag: segments that are used up. */
  readonly finished: Map<string, string[]>;
}

/**
 * Spreads claims over several databases, each of which serves its own residue of the numbers. A claim goes to another
 * database if one fails. The token of a segment ends in the index of its database.
 */
export class SpreadSegmentStore implements SegmentStore {
  /** Those that failed last are asked last. */
  private members: readonly Member[];
  private readonly tags = new Map<string, TagRequest>();

  constructor(
    stores: readonly SegmentStore[],
    private readonly clock: Clock,
  ) {
    this.members = stores.map((store, index) => ({
      store,
      index,
      unanswered: new Map(),
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
    const failures: unknown[] = [];
    const refusals: ClaimReply[] = [];
    for (const [asked, member] of this.members.entries()) {
      const share = deadline.remainingMs() / (this.members.length - asked);
      try {
        const reply = await this.claimFrom(member, claim, deadlineIn(this.clock, Math.max(1, share)));
        if (reply.outcome === 'granted') {
          this.askFirst(member);
          return reply;
        }
        refusals.push(reply);
      } catch (error) {
        failures.push(error);
      }
    }
    const [refusal] = refusals;
    if (failures.length === 0 && refusal) return refusal;
    throw failures[0];
  }

  giveBack(rest: SegmentReturn, deadline?: CallDeadline): Promise<ReturnReply> {
    const index = Number(rest.token.slice(rest.token.lastIndexOf('.') + 1));
    const member = this.members.find((each) => each.index === index);
    return member ? member.store.giveBack(rest, deadline) : Promise.resolve({ outcome: 'unknown' });
  }

  /** Creates the tag wherever a database answers; the others get it with their first claim. */
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
    await Promise.all(this.members.map(({ store }) => store.close()));
  }

  private async claimFrom(member: Member, claim: SegmentClaim, deadline: CallDeadline): Promise<ClaimReply> {
    const { tag } = claim;
    const own = member.unanswered.get(tag) ?? { token: `${claim.token}.${member.index}`, count: claim.count };
    const finished = member.finished.get(tag) ?? [];
    member.unanswered.set(tag, own);
    let reply = await member.store.claim({ tag, ...own, finished }, deadline);
    const request = this.tags.get(tag);
    if (reply.outcome === 'unknown-tag' && request) {
      await member.store.create(request, deadline);
      reply = await member.store.claim({ tag, ...own, finished }, deadline);
    }
    member.unanswered.delete(tag);
    member.finished.delete(tag);
    return reply;
  }

  private noteFinished({ tag, finished }: SegmentClaim): void {
    for (const { index, finished: pending } of this.members) {
      const own = finished.filter((token) => token.endsWith(`.${index}`));
      if (own.length > 0) pending.set(tag, [...(pending.get(tag) ?? []), ...own]);
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

function rankOf({ outcome }: TagReply): number {
  return ['created', 'exists', 'lost'].indexOf(outcome);
}

function firstReason(outcomes: readonly PromiseSettledResult<unknown>[]): SnowflakeError {
  const reasons = outcomes.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
  const known = reasons.find((reason) => reason instanceof SnowflakeError);
  return known ?? new StoreUnavailableError('No database has answered', reasons[0]);
}
