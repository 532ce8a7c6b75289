import {
  MemoryConflict,
  MemorySegmentData,
  MemorySegmentRegistry,
} from '../../../../libs/snowflake-segments/src/memory/memory-segment-registry.js';
import type { SegmentRegistry } from '../../../../libs/snowflake-segments/src/protocol/segment-registry.js';

/** What keeps two transactions apart, and what shows a loss. A control removes a part of it. */
export interface Protection {
  /** Whether a transaction locks the tag. */
  readonly locks: boolean;
  /** Whether a write compares what it replaces. */
  readonly compares: boolean;
  /** Whether another history ends all claims. */
  readonly seesHistory: boolean;
  /** Whether a rest is taken back once only. */
  readonly takesRestsOnce: boolean;
  /** Whether each caller of a store of several databases has claims of its own. */
  readonly ownsClaims: boolean;
}

export const FULL_PROTECTION: Protection = {
  locks: true,
  compares: true,
  seesHistory: true,
  takesRestsOnce: true,
  ownsClaims: true,
};

type Pause = () => Promise<void>;
type Method = keyof SegmentRegistry;
type Write = (registry: SegmentRegistry) => unknown;

const IS_WRITE: Readonly<Record<Method, boolean>> = {
  lock: false,
  lockAll: false,
  claimedTags: false,
  serverLoss: false,
  findState: false,
  findClaim: false,
  lowestRest: false,
  claims: false,
  acceptHistory: true,
  addState: true,
  setKnownUntil: true,
  setMembership: true,
  addCounter: true,
  advance: true,
  grantNew: true,
  addClaim: true,
  replaceClaim: true,
  removeClaims: true,
  forgetClaims: true,
};
const METHODS = Object.keys(IS_WRITE) as Method[];

/** Compares nothing, or notes that a comparison has failed. */
class JudgingRegistry extends MemorySegmentRegistry {
  hasConflict = false;

  protected override require(holds: boolean): void {
    if (!holds) this.hasConflict = true;
  }
}

/** A database whose transactions read the latest commits, take time, and write at their end. */
export class SegmentDatabase {
  private readonly data = new MemorySegmentData();
  private standby = new MemorySegmentData();
  private history = '';
  private failovers = 0;
  private turn: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly protection: Protection,
    private readonly pause: Pause,
  ) {}

  get isLost(): boolean {
    return this.protection.seesHistory && this.data.history !== this.history;
  }

  transact<Reply>(work: (registry: SegmentRegistry) => Promise<Reply>): Promise<Reply> {
    if (!this.protection.locks) return this.attempts(work);
    const turn = this.turn.then(() => this.attempts(work));
    this.turn = turn.catch(() => undefined);
    return turn;
  }

  /** Copies everything to the standby server. */
  replicate(): void {
    this.standby = this.data.copy();
  }

  /** The standby takes over: what was committed since the last copy is lost. */
  failOver(): void {
    this.failovers += 1;
    this.history = `history ${this.failovers}`;
    this.data.replaceBy(this.standby);
  }

  private async attempts<Reply>(work: (registry: SegmentRegistry) => Promise<Reply>): Promise<Reply> {
    for (;;) {
      const history = this.protection.seesHistory ? this.history : this.data.history;
      const registry = new JudgingRegistry(this.data, history);
      const writes: Write[] = [];
      const before = this.failovers;
      const reply = await work(this.transaction(registry, history, writes));
      if (before !== this.failovers) throw new MemoryConflict('the server has died');
      if (this.commit(registry, writes)) return reply;
    }
  }

  private commit(registry: JudgingRegistry, writes: readonly Write[]): boolean {
    const before = this.data.copy();
    for (const write of writes) write(registry);
    if (!registry.hasConflict || !this.protection.compares) return true;
    this.data.replaceBy(before);
    return false;
  }

  private transaction(registry: SegmentRegistry, history: string, writes: Write[]): SegmentRegistry {
    const answer = async (method: Method, given: unknown[]): Promise<unknown> => {
      await this.pause();
      const call = (target: SegmentRegistry): unknown => Reflect.apply(target[method], target, given);
      if (IS_WRITE[method]) return void writes.push(call);
      return call(writes.length > 0 ? this.withOwn(history, writes) : registry);
    };
    const entries = METHODS.map((method) => [method, (...given: unknown[]) => answer(method, given)]);
    return Object.fromEntries(entries) as SegmentRegistry;
  }

  /** What a transaction reads: the latest commits, and what it has written itself. */
  private withOwn(history: string, writes: readonly Write[]): SegmentRegistry {
    const view = new JudgingRegistry(this.data.copy(), history);
    for (const write of writes) write(view);
    return view;
  }
}
