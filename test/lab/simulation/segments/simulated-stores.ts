import { StoreUnavailableError } from '../../../../libs/snowflake/src/core/errors/lease-errors.js';
import { settledWithin } from '../../../../libs/snowflake/src/kit/call-deadline.js';
import type { CallDeadline } from '../../../../libs/snowflake/src/lease/lease-store.js';
import {
  type MemberStore,
  RegistrySegmentStore,
  type SegmentTransactions,
} from '../../../../libs/snowflake-segments/src/protocol/registry-segment-store.js';
import type { Residue } from '../../../../libs/snowflake-segments/src/protocol/segment-protocol.js';
import type { SegmentRegistry } from '../../../../libs/snowflake-segments/src/protocol/segment-registry.js';
import type {
  SegmentReturn,
  SegmentStore,
} from '../../../../libs/snowflake-segments/src/store/segment-store.js';
import { SpreadSegmentStore } from '../../../../libs/snowflake-segments/src/sql/spread-segment-store.js';
import type { Random } from '../random.js';
import type { World } from '../world.js';
import { FULL_PROTECTION, type Protection, SegmentDatabase } from './segment-database.js';
import { SharedClaims } from './shared-claims.js';
import { clockOf } from './simulated-process.js';

/** What goes wrong, as probabilities and mean distances. */
export interface SegmentFaults {
  readonly lostRequests?: number;
  readonly lostReplies?: number;
  readonly lateReplies?: number;
  readonly crashEveryMs?: number;
  readonly stopEveryMs?: number;
  readonly failOverEveryMs?: number;
  /** How often one of several databases is down for up to {@link LONGEST_OUTAGE_MS}. */
  readonly downEveryMs?: number;
}

/** What the stores of a simulation are made of. */
export interface StoreSetup {
  readonly faults: SegmentFaults;
  readonly protection?: Partial<Protection>;
  /** Each serves its own residue. @defaultValue 1 */
  readonly databases?: number;
  /** How many processes share one store object. @defaultValue 1 */
  readonly usersOfStore?: number;
}

export const LONGEST_OUTAGE_MS = 3000;
const STRIDE = 8;

/** The databases of a simulation, and the stores through which its processes and its operator reach them. */
export class SimulatedStores {
  readonly databases: readonly SegmentDatabase[];
  claims = 0;
  private readonly protection: Protection;
  private readonly down = new Set<SegmentDatabase>();
  private shared: { readonly store: SegmentStore; users: number } | undefined;

  constructor(
    private readonly world: World,
    private readonly random: Random,
    private readonly setup: StoreSetup,
    private readonly nextToken: () => number,
  ) {
    this.protection = { ...FULL_PROTECTION, ...setup.protection };
    this.databases = Array.from(
      { length: setup.databases ?? 1 },
      () => new SegmentDatabase(this.protection, () => this.wait(this.random.between(0, 4))),
    );
  }

  get areSeveral(): boolean {
    return this.databases.length > 1;
  }

  takeDown(): void {
    const database = this.random.pick([...this.databases]);
    this.down.add(database);
    this.world.after(this.random.between(0, LONGEST_OUTAGE_MS), () => this.down.delete(database));
  }

  failOver(): void {
    const [only] = this.databases;
    (this.areSeveral ? this.random.pick([...this.databases]) : only)?.failOver();
  }

  residue(index: number): Residue {
    return this.areSeveral ? { stride: STRIDE, remainder: index } : { stride: 1, remainder: 0 };
  }

  /** Without faults, one for each database. */
  operators(): RegistrySegmentStore[] {
    return this.databases.map(
      (database, index) =>
        new RegistrySegmentStore('operator', this.residue(index), this.transactions(database, false)),
    );
  }

  /** Returns the store of the next process. */
  next(): SegmentStore {
    const { usersOfStore = 1 } = this.setup;
    if (!this.shared || this.shared.users >= usersOfStore) this.shared = { store: this.store(), users: 0 };
    this.shared.users += 1;
    return this.shared.store;
  }

  private store(): SegmentStore {
    const [first, ...others] = this.databases.map((database, index) => this.storeOn(database, index));
    if (first && others.length === 0) return first;
    const { ownsClaims } = this.protection;
    const mechanisms = ownsClaims ? undefined : { UnansweredClaims: SharedClaims };
    const clock = clockOf(this.world, () => true);
    return new SpreadSegmentStore(first ? [first, ...others] : [], clock, mechanisms);
  }

  private storeOn(database: SegmentDatabase, index: number): MemberStore {
    const transactions = this.transactions(database, true);
    const store = new RegistrySegmentStore(`database ${index}`, this.residue(index), transactions);
    if (this.protection.takesRestsOnce) return store;
    return Object.assign(Object.create(store) as MemberStore, {
      returnRemainders: undefined,
      returnRemainder: ({ tag, first, count }: SegmentReturn) =>
        transactions.transact(async (registry) => {
          const row = { token: `rest ${this.nextToken()}`, first, count, isRest: true };
          if (count > 0) await registry.addClaim(tag, row);
          return { outcome: 'returned' };
        }),
    });
  }

  /** The way to a database, with its faults. */
  private transactions(database: SegmentDatabase, isFaulty: boolean): SegmentTransactions {
    const { lostRequests = 0, lostReplies = 0, lateReplies = 0 } = isFaulty ? this.setup.faults : {};
    const answer = async <Reply>(work: (registry: SegmentRegistry) => Promise<Reply>): Promise<Reply> => {
      this.claims += 1;
      await this.wait(this.random.between(0, 5));
      const isLost = isFaulty && this.down.has(database);
      if (isLost || this.random.chance(lostRequests)) throw new StoreUnavailableError('lost');
      const reply = await database.transact(work);
      if (this.random.chance(lostReplies)) throw new StoreUnavailableError('lost');
      await this.wait(this.random.between(0, this.random.chance(lateReplies) ? 1500 : 5));
      return reply;
    };
    const transact = <Reply>(
      work: (registry: SegmentRegistry) => Promise<Reply>,
      deadline?: CallDeadline,
    ): Promise<Reply> => {
      // As the connection to a database, which gives up at the deadline.
      const limitMs = this.areSeveral ? deadline?.remainingMs() : undefined;
      if (limitMs === undefined) return answer(work);
      const clock = clockOf(this.world, () => true);
      return settledWithin(clock, limitMs, answer(work), () => new StoreUnavailableError('late'));
    };
    return { transact, open: () => undefined, close: () => Promise.resolve() };
  }

  private wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.world.after(ms, () => {
        this.world.touchPromises();
        resolve();
      });
    });
  }
}
