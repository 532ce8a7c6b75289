import type {
  ClaimRow,
  Counter,
  Membership,
  NewSegment,
  SegmentRegistry,
  TagState,
} from '../protocol/segment-registry.js';
import type { LossReason } from '../store/segment-store.js';

interface StoredClaim {
  readonly tag: string;
  readonly row: ClaimRow;
}

/** Another transaction has changed what this one replaces. */
export class MemoryConflict extends Error {}

/** The content of a store in memory. */
export class MemorySegmentData {
  readonly counters = new Map<string, Counter>();
  readonly states = new Map<string, TagState>();
  readonly claims = new Map<string, StoredClaim>();
  /** The history in which the content was written. */
  history = '';

  /** Returns a copy that shares nothing with this one. */
  copy(): MemorySegmentData {
    const copy = new MemorySegmentData();
    copy.replaceBy(this);
    return copy;
  }

  replaceBy(other: MemorySegmentData): void {
    for (const name of ['counters', 'states', 'claims'] as const) {
      const own: Map<string, unknown> = this[name];
      const entries = [...other[name]];
      own.clear();
      for (const [key, value] of entries) own.set(key, value);
    }
    this.history = other.history;
  }
}

/** One transaction on {@link MemorySegmentData}. The caller runs one at a time. */
export class MemorySegmentRegistry implements SegmentRegistry {
  constructor(
    protected readonly data: MemorySegmentData,
    private readonly history = '',
  ) {}

  async lock(tag: string): Promise<Counter | undefined> {
    return this.data.counters.get(tag);
  }

  async lockAll(): Promise<readonly string[]> {
    return [...this.data.counters.keys()];
  }

  async claimedTags(): Promise<readonly string[]> {
    return [...this.data.states.keys()];
  }

  async serverLoss(): Promise<LossReason | undefined> {
    return this.data.history === this.history ? undefined : 'history';
  }

  async acceptHistory(): Promise<void> {
    this.data.history = this.history;
  }

  async findState(tag: string): Promise<TagState | undefined> {
    return this.data.states.get(tag);
  }

  async addState(tag: string, state: TagState): Promise<void> {
    this.require(!this.data.states.has(tag));
    this.data.states.set(tag, state);
  }

  async setKnownUntil(tag: string, from: number, to: number): Promise<void> {
    const state = this.data.states.get(tag);
    this.require(state?.knownUntil === from);
    if (state) this.data.states.set(tag, { ...state, knownUntil: to });
  }

  async setMembership(tag: string, from: Membership, to: Membership): Promise<void> {
    const state = this.data.states.get(tag);
    this.require(state !== undefined && JSON.stringify(state.membership) === JSON.stringify(from));
    if (state) this.data.states.set(tag, { ...state, membership: to });
  }

  async addCounter(tag: string, counter: Counter): Promise<void> {
    this.require(!this.data.counters.has(tag));
    this.data.counters.set(tag, counter);
  }

  async advance(tag: string, from: number, to: number): Promise<void> {
    const counter = this.data.counters.get(tag);
    this.require(counter?.next === from);
    if (counter) this.data.counters.set(tag, { ...counter, next: to });
  }

  async grantNew(tag: string, { next, knownUntil, end, row }: NewSegment): Promise<void> {
    await Promise.all([
      this.advance(tag, next, end),
      this.setKnownUntil(tag, knownUntil, end),
      this.addClaim(tag, row),
    ]);
  }

  async findClaim(token: string): Promise<ClaimRow | undefined> {
    return this.data.claims.get(token)?.row;
  }

  async addClaim(tag: string, row: ClaimRow): Promise<void> {
    this.require(!this.data.claims.has(row.token));
    this.data.claims.set(row.token, { tag, row });
  }

  async replaceClaim(from: ClaimRow, to: ClaimRow): Promise<void> {
    const stored = this.data.claims.get(from.token);
    const isSame = stored?.row.first === from.first && stored.row.count === from.count;
    this.require(isSame && stored.row.isRest === from.isRest);
    if (!stored) return;
    this.data.claims.delete(from.token);
    this.data.claims.set(to.token, { tag: stored.tag, row: to });
  }

  async removeClaims(tokens: readonly string[]): Promise<void> {
    for (const token of tokens) this.data.claims.delete(token);
  }

  async forgetClaims(tag: string): Promise<void> {
    for (const [token, claim] of this.data.claims) if (claim.tag === tag) this.data.claims.delete(token);
  }

  async lowestRest(tag: string): Promise<ClaimRow | undefined> {
    return (await this.claims(tag)).find(({ isRest }) => isRest);
  }

  async claims(tag: string): Promise<readonly ClaimRow[]> {
    return [...this.data.claims.values()]
      .filter((claim) => claim.tag === tag)
      .map(({ row }) => row)
      .sort((one, other) => one.first - other.first);
  }

  /** Fails a write whose condition does not hold. */
  protected require(holds: boolean): void {
    if (!holds) throw new MemoryConflict('Another transaction was faster.');
  }
}
