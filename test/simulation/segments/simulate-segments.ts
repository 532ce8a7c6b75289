import { type Clock, StoreUnavailableError } from '../../../libs/snowflake/src/core/index.js';
import {
  RegistrySegmentStore,
  type Residue,
  type SegmentRegistry,
  type SegmentTransactions,
} from '../../../libs/snowflake/src/segments/protocol/index.js';
import type {
  SegmentClaim,
  SegmentStore,
  TagSnapshot,
} from '../../../libs/snowflake/src/segments/segment-store.js';
import { Segments } from '../../../libs/snowflake/src/segments/segments.js';
import { SpreadSegmentStore } from '../../../libs/snowflake/src/segments/sql/spread-segment-store.js';
import { settledWithin } from '../../../libs/snowflake/src/lease/call-deadline.js';
import {
  type UnansweredClaim,
  UnansweredClaims,
} from '../../../libs/snowflake/src/segments/sql/unanswered-claims.js';
import type { CallDeadline } from '../../../libs/snowflake/src/lease/lease-store.js';
import type { Random } from '../random.js';
import { START_MS, World } from '../world.js';
import { FULL_PROTECTION, type Protection, SegmentDatabase } from './segment-database.js';

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

export interface SegmentSetup {
  readonly seed: number;
  readonly faults: SegmentFaults;
  readonly protection?: Partial<Protection>;
  /** Each serves its own residue. @defaultValue 1 */
  readonly databases?: number;
  /** How many processes share one store object. @defaultValue 1 */
  readonly usersOfStore?: number;
}

export interface SegmentVerdict {
  readonly duplicates: number;
  readonly issued: number;
  readonly claims: number;
  /** Numbers that were claimed and are neither issued nor a rest when all processes have stopped. */
  readonly gaps: number;
  readonly failovers: number;
}

const TAG = 'order';
const PROCESSES = 4;
const DURATION_MS = 20_000;
const CALL_TIMEOUT_MS = 400;
/** Longer than any reply can still be on its way. */
const OPERATOR_WAITS_MS = 2000;
const LONGEST_OUTAGE_MS = 3000;

/** Runs one seed. The same setup has the same verdict. */
export async function simulateSegments(setup: SegmentSetup): Promise<SegmentVerdict> {
  const scene = new SegmentScene(setup);
  return scene.play();
}

class SegmentScene {
  private readonly world: World;
  private readonly random: Random;
  private readonly protection: Protection;
  private readonly databases: readonly SegmentDatabase[];
  private readonly down = new Set<SegmentDatabase>();
  private shared: { readonly store: SegmentStore; users: number } | undefined;
  private readonly processes = new Set<SimulatedProcess>();
  private readonly seen = new Set<number>();
  private duplicates = 0;
  private claims = 0;
  private highest = 0;
  private failovers = 0;
  private tokens = 0;

  constructor(private readonly setup: SegmentSetup) {
    this.world = new World(setup.seed);
    this.random = this.world.random.fork('segments');
    this.protection = { ...FULL_PROTECTION, ...setup.protection };
    this.databases = Array.from(
      { length: setup.databases ?? 1 },
      () => new SegmentDatabase(this.protection, () => this.wait(this.random.between(0, 4))),
    );
  }

  async play(): Promise<SegmentVerdict> {
    const { world, random } = this;
    const endMs = START_MS + DURATION_MS;
    const { crashEveryMs, stopEveryMs, failOverEveryMs, downEveryMs } = this.setup.faults;
    for (let index = 0; index < PROCESSES; index++) this.begin();
    world.every(1500, endMs, random, () => this.databases.forEach((each) => each.replicate()));
    if (crashEveryMs) world.every(crashEveryMs, endMs, random, () => this.replace('crash'));
    if (stopEveryMs) world.every(stopEveryMs, endMs, random, () => this.replace('stop'));
    if (failOverEveryMs) world.every(failOverEveryMs, endMs, random, () => this.failOver());
    if (downEveryMs) world.every(downEveryMs, endMs - LONGEST_OUTAGE_MS, random, () => this.takeDown());
    await world.runUntil(endMs);
    for (const each of this.processes) each.stop();
    world.touchPromises();
    await world.runUntil(endMs + 15_000);
    const { duplicates, claims, failovers } = this;
    return { duplicates, claims, failovers, issued: this.seen.size, gaps: await this.gaps() };
  }

  private begin(): void {
    this.processes.add(
      new SimulatedProcess(this.world, this.random.fork(`process ${this.tokens}`), {
        store: this.nextStore(),
        makeToken: () => `token ${(this.tokens += 1)}`,
        note: (number) => this.note(number),
      }),
    );
  }

  private replace(how: 'crash' | 'stop'): void {
    if (this.processes.size === 0) return;
    const process = this.random.pick([...this.processes]);
    this.processes.delete(process);
    if (how === 'crash') process.crash();
    else process.stop();
    this.world.touchPromises();
    this.world.after(this.random.between(0, 2000), () => {
      // Nobody would stop it.
      if (this.world.nowMs < START_MS + DURATION_MS) this.begin();
    });
  }

  private takeDown(): void {
    const database = this.random.pick([...this.databases]);
    this.down.add(database);
    this.world.after(this.random.between(0, LONGEST_OUTAGE_MS), () => this.down.delete(database));
  }

  private failOver(): void {
    this.failovers += 1;
    const [only, ...others] = this.databases;
    (others.length > 0 ? this.random.pick([...this.databases]) : only)?.failOver();
    this.world.after(OPERATOR_WAITS_MS, () => {
      if (!this.databases.some((each) => each.isLost)) return;
      const held = [...this.processes].map((process) => process.highest);
      const highest = { [TAG]: Math.max(this.highest, ...held) };
      for (const operator of this.operators()) operator.resume(highest).catch(() => undefined);
      this.world.touchPromises();
    });
  }

  private note(number: number): void {
    if (this.seen.has(number)) this.duplicates += 1;
    this.seen.add(number);
    this.highest = Math.max(this.highest, number);
  }

  private async gaps(): Promise<number> {
    let gaps = 0;
    for (const [index, operator] of this.operators().entries()) {
      const snapshot = operator.inspect();
      this.world.touchPromises();
      await this.world.runUntil(this.world.nowMs + 2000);
      const [tag] = (await snapshot).tags;
      if (!tag && this.databases.length === 1) throw new Error('the tag is gone');
      if (tag) gaps += this.gapsOf(tag, this.residue(index));
    }
    return gaps;
  }

  private gapsOf({ next, rests }: TagSnapshot, { stride, remainder }: Residue): number {
    const isWaiting = new Set(
      rests.flatMap(({ first, count }) => Array.from({ length: count }, (_, at) => first + at * stride)),
    );
    const isKnown = (number: number): boolean => this.seen.has(number) || isWaiting.has(number);
    let first = remainder || stride;
    // A database that was down when the tag was created starts behind the numbers of the others.
    while (this.databases.length > 1 && first < next && !isKnown(first)) first += stride;
    let gaps = 0;
    for (let number = first; number < next; number += stride) if (!isKnown(number)) gaps += 1;
    return gaps;
  }

  private operators(): RegistrySegmentStore[] {
    return this.databases.map(
      (database, index) =>
        new RegistrySegmentStore('operator', this.residue(index), this.transactions(database, false)),
    );
  }

  private residue(index: number): Residue {
    return this.databases.length === 1 ? { stride: 1, remainder: 0 } : { stride: STRIDE, remainder: index };
  }

  private nextStore(): SegmentStore {
    const { usersOfStore = 1 } = this.setup;
    if (!this.shared || this.shared.users >= usersOfStore) this.shared = { store: this.store(), users: 0 };
    this.shared.users += 1;
    return this.shared.store;
  }

  private store(): SegmentStore {
    const [first, ...others] = this.databases.map((database, index) => this.storeOn(database, index));
    if (first && others.length === 0) return first;
    const { ownsClaims } = this.protection;
    const makeUnanswered = ownsClaims ? undefined : (suffix: string) => new SharedClaims(suffix);
    return new SpreadSegmentStore(
      first ? [first, ...others] : [],
      clockOf(this.world, () => true),
      makeUnanswered,
    );
  }

  private storeOn(database: SegmentDatabase, index: number): SegmentStore {
    const store = new RegistrySegmentStore(
      `database ${index}`,
      this.residue(index),
      this.transactions(database, true),
    );
    if (this.protection.takesRestsOnce) return store;
    const transactions = this.transactions(database, true);
    return Object.assign(Object.create(store) as SegmentStore, {
      giveBackMany: undefined,
      giveBack: ({ tag, first, count }: { tag: string; first: number; count: number }) =>
        transactions.run(async (registry) => {
          const row = { token: `rest ${(this.tokens += 1)}`, first, count, isRest: true };
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
      const reply = await database.run(work);
      if (this.random.chance(lostReplies)) throw new StoreUnavailableError('lost');
      await this.wait(this.random.between(0, this.random.chance(lateReplies) ? 1500 : 5));
      return reply;
    };
    const run = <Reply>(
      work: (registry: SegmentRegistry) => Promise<Reply>,
      deadline?: CallDeadline,
    ): Promise<Reply> => {
      // As the connection to a database, which gives up at the deadline.
      const limitMs = this.databases.length > 1 ? deadline?.remainingMs() : undefined;
      if (limitMs === undefined) return answer(work);
      const late = (): Error => new StoreUnavailableError('late');
      return settledWithin(
        clockOf(this.world, () => true),
        limitMs,
        answer(work),
        late,
      );
    };
    return { run, open: () => undefined, close: () => Promise.resolve() };
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

const STRIDE = 8;

/** What a store of several databases must not do: gives the claim of a caller to another one. */
class SharedClaims extends UnansweredClaims {
  private readonly byOneTag = new Map<string, UnansweredClaim>();

  override begin({ tag, token, count }: SegmentClaim): UnansweredClaim {
    const claim = this.byOneTag.get(tag) ?? super.begin({ tag, token, count, finished: [] });
    this.byOneTag.set(tag, claim);
    return claim;
  }

  override answered(tag: string): void {
    this.byOneTag.delete(tag);
  }
}

interface ProcessParts {
  readonly store: SegmentStore;
  readonly makeToken: () => string;
  readonly note: (number: number) => void;
}

/** A process under traffic. */
class SimulatedProcess {
  private readonly segments: Segments;
  private isAlive = true;

  constructor(world: World, random: Random, { store, makeToken, note }: ProcessParts) {
    const sizing = { minStep: 5, maxStep: 60, maxHeld: 120, outageMinutes: 1 };
    const timing = { callTimeoutMs: CALL_TIMEOUT_MS, readyTimeoutMs: 10_000, stopTimeoutMs: 10_000 };
    this.segments = new Segments(
      { store, tags: [TAG], ...sizing, ...timing },
      { clock: clockOf(world, () => this.isAlive), makeToken },
    );
    const source = this.segments.source(TAG);
    world.every(random.between(20, 80), START_MS + DURATION_MS, random, () => {
      world.touchPromises();
      if (!this.isAlive) return;
      try {
        note(source.next());
      } catch {
        // Nothing is at hand, or the process stops.
      }
    });
  }

  get highest(): number {
    return this.isAlive ? (this.segments.source(TAG).status().highest ?? 0) : 0;
  }

  crash(): void {
    this.isAlive = false;
  }

  stop(): void {
    void this.segments.stop();
  }
}

/** @param isAlive a process that has crashed is called no more */
function clockOf(world: World, isAlive: () => boolean): Clock {
  return {
    now: () => world.nowMs,
    blockUntil: () => true,
    schedule: (delayMs, task) => {
      const event = world.after(delayMs, () => {
        world.touchPromises();
        if (isAlive()) task();
      });
      return { cancel: () => (event.task = undefined) };
    },
    afterThisTurn: (task) => void Promise.resolve().then(() => isAlive() && task()),
  };
}
