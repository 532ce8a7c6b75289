import type { CallDeadline } from 'nestjs-snowflake/store';
import type {
  ClaimReply,
  ResumeReply,
  ReturnOutcome,
  ReturnReply,
  SegmentClaim,
  SegmentReturn,
  SegmentStore,
  StoreSnapshot,
  TagReply,
  TagRequest,
} from '../store/segment-store.js';
import type { IntroducedMember, Member, Unannounced } from './membership.js';
import {
  admitMember,
  claimSegment,
  claimSegmentAsMember,
  createTag,
  introduceMember,
  type IntroductionReply,
  memberOf,
  type ProcessClaim,
  readTags,
  type Residue,
  resumeTags,
  returnRest,
} from './segment-protocol.js';
import type { Members, SegmentRegistry } from './segment-registry.js';

/** Where the transactions of a store run. */
export interface SegmentTransactions {
  /**
   * Runs `work` in one transaction, and repeats it as a whole after a conflict.
   *
   * @param kind `enter` for the first claim of a process: of a crowd that starts, one after the other passes the line and locks the row
   */
  transact<Reply>(
    work: (registry: SegmentRegistry) => Promise<Reply>,
    deadline?: CallDeadline,
    kind?: { readonly access: 'enter' | 'write'; readonly line: string },
  ): Promise<Reply>;
  open(callTimeoutMs: number): void;
  close(): Promise<void>;
}

/** One of several databases, which serve a tag together. */
export interface MemberStore extends SegmentStore {
  /** Claims like {@link SegmentStore.claim}, but only from a database that all others know. */
  claimAsMember(claim: SegmentClaim, deadline?: CallDeadline): Promise<ClaimReply | Unannounced>;
  /** Returns what all others must store; `undefined` if it has no such tag, or has lost claims. */
  member(tag: string, newId: string, deadline?: CallDeadline): Promise<IntroducedMember | undefined>;
  /** Stores that another database serves a tag. */
  introduce(tag: string, member: Member, deadline?: CallDeadline): Promise<IntroductionReply>;
  /** Ends {@link Unannounced}: all `others` that know the tag have stored this member. Returns whether it has done so. */
  admit(tag: string, member: Member, others: Members, deadline?: CallDeadline): Promise<boolean>;
}

/** A store that runs the protocol on a registry. Remembers what this process was granted: the database may forget it. */
export class RegistrySegmentStore implements MemberStore {
  private readonly floors = new Map<string, number>();

  constructor(
    readonly description: string,
    private readonly residue: Residue,
    private readonly transactions: SegmentTransactions,
  ) {}

  get stride(): number {
    return this.residue.stride;
  }

  open({ callTimeoutMs }: { readonly callTimeoutMs: number }): void {
    this.transactions.open(callTimeoutMs);
  }

  claim(claim: SegmentClaim, deadline?: CallDeadline): Promise<ClaimReply> {
    return this.claimBy(claimSegment, claim, deadline);
  }

  claimAsMember(claim: SegmentClaim, deadline?: CallDeadline): Promise<ClaimReply | Unannounced> {
    return this.claimBy(claimSegmentAsMember, claim, deadline);
  }

  member(tag: string, newId: string, deadline?: CallDeadline): Promise<IntroducedMember | undefined> {
    return this.transactions.transact((registry) => memberOf(registry, tag, this.residue, newId), deadline);
  }

  introduce(tag: string, member: Member, deadline?: CallDeadline): Promise<IntroductionReply> {
    return this.transactions.transact(
      (registry) => introduceMember(registry, tag, member, this.residue),
      deadline,
    );
  }

  admit(tag: string, member: Member, others: Members, deadline?: CallDeadline): Promise<boolean> {
    return this.transactions.transact((registry) => admitMember(registry, tag, member, others), deadline);
  }

  returnRemainder(rest: SegmentReturn, deadline?: CallDeadline): Promise<ReturnReply> {
    const floor = this.floorOf(rest.tag);
    return this.transactions.transact(
      (registry) => returnRest(registry, rest, this.residue, floor),
      deadline,
    );
  }

  async returnRemainders(
    rests: readonly SegmentReturn[],
    deadline?: CallDeadline,
  ): Promise<readonly ReturnOutcome[]> {
    // All processes use one order, so that two of them don't wait for each other.
    const sorted = rests.toSorted((one, other) => (one.tag < other.tag ? -1 : 1));
    const replies = await this.transactions.transact(async (registry) => {
      const all = new Map<SegmentReturn, ReturnReply>();
      for (const rest of sorted) {
        all.set(rest, await returnRest(registry, rest, this.residue, this.floorOf(rest.tag)));
      }
      return all;
    }, deadline);
    return rests.map((rest) => ({
      status: 'fulfilled',
      value: replies.get(rest) ?? { outcome: 'unknown' },
    }));
  }

  create(tag: TagRequest, deadline?: CallDeadline): Promise<TagReply> {
    return this.transactions.transact((registry) => createTag(registry, tag, this.residue), deadline);
  }

  inspect(): Promise<StoreSnapshot> {
    return this.transactions.transact(readTags);
  }

  resume(highest: Readonly<Record<string, number>>): Promise<ResumeReply> {
    return this.transactions.transact((registry) => resumeTags(registry, highest, this.residue));
  }

  close(): Promise<void> {
    return this.transactions.close();
  }

  private async claimBy<Reply extends ClaimReply | Unannounced>(
    step: (registry: SegmentRegistry, request: ProcessClaim) => Promise<Reply>,
    claim: SegmentClaim,
    deadline?: CallDeadline,
  ): Promise<Reply> {
    const { residue } = this;
    const { tag } = claim;
    const floor = this.floorOf(tag);
    const reply = await this.transactions.transact(
      (registry) => step(registry, { claim, residue, floor }),
      deadline,
      // The blank separates the tag from the name of the connection, which precedes it in the name of the line.
      { access: this.floors.size === 0 ? 'enter' : 'write', line: ` ${tag}` },
    );
    if (reply.outcome === 'granted') {
      const end = reply.first + reply.count * this.stride;
      this.floors.set(tag, Math.max(this.floorOf(tag), end));
    }
    return reply;
  }

  private floorOf(tag: string): number {
    return this.floors.get(tag) ?? 0;
  }
}
