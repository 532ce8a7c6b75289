import type { Residue } from '../../../../libs/snowflake-segments/src/protocol/segment-protocol.js';
import type { TagSnapshot } from '../../../../libs/snowflake-segments/src/store/segment-store.js';
import type { Random } from '../random.js';
import { START_MS, World } from '../world.js';
import { SimulatedProcess, TAG } from './simulated-process.js';
import { LONGEST_OUTAGE_MS, SimulatedStores, type StoreSetup } from './simulated-stores.js';

export interface SegmentSetup extends StoreSetup {
  readonly seed: number;
}

export interface SegmentVerdict {
  readonly duplicates: number;
  readonly issued: number;
  readonly claims: number;
  /** Numbers that were claimed and are neither issued nor a rest when all processes have stopped. */
  readonly gaps: number;
  readonly failovers: number;
}

const PROCESSES = 4;
const END_MS = START_MS + 20_000;
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
  private readonly stores: SimulatedStores;
  private readonly processes = new Set<SimulatedProcess>();
  private readonly seen = new Set<number>();
  private duplicates = 0;
  private highest = 0;
  private failovers = 0;
  private tokens = 0;

  constructor(private readonly setup: SegmentSetup) {
    this.world = new World(setup.seed);
    this.random = this.world.random.fork('segments');
    this.stores = new SimulatedStores(this.world, this.random, setup, () => (this.tokens += 1));
  }

  async play(): Promise<SegmentVerdict> {
    const { world, random, stores } = this;
    const { crashEveryMs, stopEveryMs, failOverEveryMs, downEveryMs } = this.setup.faults;
    for (let index = 0; index < PROCESSES; index++) this.begin();
    world.every(1500, END_MS, random, () => stores.databases.forEach((each) => each.replicate()));
    if (crashEveryMs) world.every(crashEveryMs, END_MS, random, () => this.replace('crash'));
    if (stopEveryMs) world.every(stopEveryMs, END_MS, random, () => this.replace('stop'));
    if (failOverEveryMs) world.every(failOverEveryMs, END_MS, random, () => this.failOver());
    if (downEveryMs) world.every(downEveryMs, END_MS - LONGEST_OUTAGE_MS, random, () => stores.takeDown());
    await world.runUntil(END_MS);
    for (const each of this.processes) each.stop();
    world.touchPromises();
    await world.runUntil(END_MS + 15_000);
    const { duplicates, failovers } = this;
    return { duplicates, failovers, claims: stores.claims, issued: this.seen.size, gaps: await this.gaps() };
  }

  private begin(): void {
    this.processes.add(
      new SimulatedProcess(this.world, this.random.fork(`process ${this.tokens}`), {
        store: this.stores.next(),
        makeToken: () => `token ${(this.tokens += 1)}`,
        note: (number) => this.note(number),
        endMs: END_MS,
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
      if (this.world.nowMs < END_MS) this.begin();
    });
  }

  private failOver(): void {
    this.failovers += 1;
    this.stores.failOver();
    this.world.after(OPERATOR_WAITS_MS, () => {
      if (!this.stores.databases.some((each) => each.isLost)) return;
      const held = [...this.processes].map((process) => process.highest);
      const highest = { [TAG]: Math.max(this.highest, ...held) };
      for (const operator of this.stores.operators()) operator.resume(highest).catch(() => undefined);
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
    for (const [index, operator] of this.stores.operators().entries()) {
      const snapshot = operator.inspect();
      this.world.touchPromises();
      await this.world.runUntil(this.world.nowMs + 2000);
      const [tag] = (await snapshot).tags;
      if (!tag && !this.stores.areSeveral) throw new Error('the tag is gone');
      if (tag) gaps += this.gapsOf(tag, this.stores.residue(index));
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
    while (this.stores.areSeveral && first < next && !isKnown(first)) first += stride;
    let gaps = 0;
    for (let number = first; number < next; number += stride) if (!isKnown(number)) gaps += 1;
    return gaps;
  }
}
