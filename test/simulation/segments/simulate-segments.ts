import { StoreUnavailableError, type Clock } from '../../../libs/snowflake/src/core/index.js';
import {
  RegistrySegmentStore,
  type SegmentRegistry,
  type SegmentTransactions,
} from '../../../libs/snowflake/src/segments/protocol/index.js';
import type { SegmentStore } from '../../../libs/snowflake/src/segments/segment-store.js';
import { Segments } from '../../../libs/snowflake/src/segments/segments.js';
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
}

export interface SegmentSetup {
  readonly seed: number;
  readonly faults: SegmentFaults;
  readonly protection?: Partial<Protection>;
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

/** Runs one seed. The same setup has the same verdict. */
export async function simulateSegments(setup: SegmentSetup): Promise<SegmentVerdict> {
  const scene = new SegmentScene(setup);
  return scene.play();
}

class SegmentScene {
  private readonly world: World;
  private readonly random: Random;
  private readonly protection: Protection;
  private readonly database: SegmentDatabase;
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
    this.database = new SegmentDatabase(this.protection, () => this.wait(this.random.between(0, 4)));
  }

  async play(): Promise<SegmentVerdict> {
    const { world, random } = this;
    const endMs = START_MS + DURATION_MS;
    const { crashEveryMs, stopEveryMs, failOverEveryMs } = this.setup.faults;
    for (let index = 0; index < PROCESSES; index++) this.begin();
    world.every(1500, endMs, random, () => this.database.replicate());
    if (crashEveryMs) world.every(crashEveryMs, endMs, random, () => this.replace('crash'));
    if (stopEveryMs) world.every(stopEveryMs, endMs, random, () => this.replace('stop'));
    if (failOverEveryMs) world.every(failOverEveryMs, endMs, random, () => this.failOver());
    await world.runUntil(endMs);
    for (const each of this.processes) each.stop();
    await world.runUntil(endMs + 15_000);
    const { duplicates, claims, failovers } = this;
    return { duplicates, claims, failovers, issued: this.seen.size, gaps: await this.gaps() };
  }

  private begin(): void {
    this.processes.add(
      new SimulatedProcess(this.world, this.random.fork(`process ${this.tokens}`), {
        store: this.store(),
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
    this.world.after(this.random.between(0, 2000), () => {
      // Nobody would stop it.
      if (this.world.nowMs < START_MS + DURATION_MS) this.begin();
    });
  }

  private failOver(): void {
    this.failovers += 1;
    this.database.failOver();
    this.world.after(OPERATOR_WAITS_MS, () => {
      if (!this.database.isLost) return;
      const held = [...this.processes].map((process) => process.highest);
      const highest = { [TAG]: Math.max(this.highest, ...held) };
      const operator = new RegistrySegmentStore('operator', RESIDUE, this.transactions(false));
      operator.resume(highest).catch(() => undefined);
      this.world.touchPromises();
    });
  }

  private note(number: number): void {
    if (this.seen.has(number)) this.duplicates += 1;
    this.seen.add(number);
    this.highest = Math.max(this.highest, number);
  }

  private async gaps(): Promise<number> {
    const operator = new RegistrySegmentStore('judge', RESIDUE, this.transactions(false));
    const snapshot = operator.inspect();
    this.world.touchPromises();
    await this.world.runUntil(this.world.nowMs + 2000);
    const [tag] = (await snapshot).tags;
    if (!tag) throw new Error('the tag is gone');
    return tag.next - 1 - this.seen.size - tag.rests.reduce((sum, { count }) => sum + count, 0);
  }

  private store(): SegmentStore {
    const store = new RegistrySegmentStore('database', RESIDUE, this.transactions(true));
    if (this.protection.takesRestsOnce) return store;
    const transactions = this.transactions(true);
    return Object.assign(Object.create(store) as SegmentStore, {
      giveBack: ({ tag, first, count }: { tag: string; first: number; count: number }) =>
        transactions.run(async (registry) => {
          const row = { token: `rest ${(this.tokens += 1)}`, first, count, isRest: true };
          if (count > 0) await registry.addClaim(tag, row);
          return { outcome: 'returned' };
        }),
    });
  }

  /** The way to the database, with its faults. */
  private transactions(isFaulty: boolean): SegmentTransactions {
    const { lostRequests = 0, lostReplies = 0, lateReplies = 0 } = isFaulty ? this.setup.faults : {};
    const run = async <Reply>(work: (registry: SegmentRegistry) => Promise<Reply>): Promise<Reply> => {
      this.claims += 1;
      await this.wait(this.random.between(0, 5));
      if (this.random.chance(lostRequests)) throw new StoreUnavailableError('lost');
      const reply = await this.database.run(work);
      if (this.random.chance(lostReplies)) throw new StoreUnavailableError('lost');
      await this.wait(this.random.between(0, this.random.chance(lateReplies) ? 1500 : 5));
      return reply;
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

const RESIDUE = { stride: 1, remainder: 0 };

interface ProcessParts {
  readonly store: SegmentStore;
  readonly makeToken: () => string;
  readonly note: (number: number) => void;
}

/** A process under traffic. */
class SimulatedProcess {
  private readonly segments: Segments;
  private isAlive = true;

  constructor(
    private readonly world: World,
    random: Random,
    { store, makeToken, note }: ProcessParts,
  ) {
    const sizing = { minStep: 5, maxStep: 60, maxHeld: 120, outageMinutes: 1 };
    const timing = { callTimeoutMs: CALL_TIMEOUT_MS, readyTimeoutMs: 10_000, stopTimeoutMs: 10_000 };
    this.segments = new Segments(
      { store, tags: [TAG], ...sizing, ...timing },
      { clock: this.clock(), makeToken },
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
    this.world.touchPromises();
  }

  /** The clock of a process that has crashed calls nothing any more. */
  private clock(): Clock {
    const { world } = this;
    return {
      now: () => world.nowMs,
      blockUntil: () => true,
      schedule: (delayMs, task) => {
        const event = world.after(delayMs, () => {
          world.touchPromises();
          if (this.isAlive) task();
        });
        return { cancel: () => (event.task = undefined) };
      },
      afterThisTurn: (task) => void Promise.resolve().then(() => this.isAlive && task()),
    };
  }
}
