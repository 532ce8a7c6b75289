import type { BitLayout } from '../../../libs/snowflake/src/core/layout/bit-layout.js';
import { HIGH_HALF, LOW_HALF } from '../../../libs/snowflake/src/core/ids/id-words.js';
import { Histogram } from './histogram.js';
import { UsedSequences } from './used-sequences.js';
import { START_MS } from './world.js';

/** Who generated a batch of IDs, and when in true time. */
export interface Issue {
  readonly process: number;
  readonly tenure: number;
  readonly trueMs: number;
}

type Tenure = Omit<Issue, 'trueMs'>;

/** Two processes that began as one, in a memory that was copied. A call in flight can begin a tenure in both. */
interface Copy {
  readonly processes: readonly number[];
  readonly untilTick: number;
}

const TENURES = 4096;

function holderOf({ process, tenure }: Tenure): number {
  return process * TENURES + tenure;
}

function processOf(holder: number): number {
  return Math.floor(holder / TENURES);
}

/** The ticks that one tenure used of one worker ID. */
interface TenureTicks {
  readonly workerId: number;
  readonly first: number;
  last: number;
  lastSequence: number;
}

/** The counts of one run. */
export interface Verdict {
  ids: number;
  /** IDs that had been made before. */
  duplicates: number;
  /** IDs that two processes with one memory have made within the bound. */
  copiedIds: number;
  /** Ticks of a worker ID that two tenures used. */
  sharedTicks: number;
  /** Tenures of a worker ID whose ticks lie between those of another one: no window can be granted like that. */
  interleavedTenures: number;
  /** IDs that did not ascend within their tenure. */
  disorders: number;
  attempts: number;
  /** Attempts that failed. */
  refusals: number;
  /** Attempts that failed because the process had no lease since it started. */
  unready: number;
  /** Hosts that generated no ID any more when the faults were over. */
  silentHosts: number;
}

/** Checks every ID that is made. */
export class Checker {
  readonly verdict: Verdict = {
    ids: 0,
    duplicates: 0,
    copiedIds: 0,
    sharedTicks: 0,
    interleavedTenures: 0,
    disorders: 0,
    attempts: 0,
    refusals: 0,
    unready: 0,
    silentHosts: 0,
  };
  /** How far the time in an ID is from true time, milliseconds; one sample per batch. */
  readonly stampErrors = new Histogram();

  private readonly used = new UsedSequences();
  private readonly tenures = new Map<number, TenureTicks>();
  private readonly baseTick: number;
  private readonly sequenceBits: number;
  private readonly tickBitsLow: number;
  private processes = 0;
  private readonly copies: Copy[] = [];

  constructor(private readonly layout: BitLayout) {
    this.baseTick = layout.tickAt(START_MS);
    this.sequenceBits = layout.field('worker').shift;
    this.tickBitsLow = 32 - layout.field('timestamp').shift;
  }

  nextProcess(): number {
    return ++this.processes;
  }

  /** The memory of a process exists twice. The IDs of both can be equal up to this timestamp, and not beyond. */
  copied(one: number, other: number, untilMs: number): void {
    const untilTick = this.layout.tickAt(untilMs) - this.baseTick;
    this.copies.push({ processes: [one, other], untilTick });
  }

  /** An attempt to generate IDs that failed. */
  refused(): void {
    this.verdict.attempts++;
    this.verdict.refusals++;
  }

  /** An attempt to generate IDs in a process that is still waiting for its first lease. */
  unready(): void {
    this.verdict.attempts++;
    this.verdict.unready++;
  }

  /** @returns what is wrong with the batch, in words */
  issued(ids: BigUint64Array, issue: Issue): string | undefined {
    const before = this.problems;
    this.verdict.attempts++;
    this.verdict.ids += ids.length;
    const halves = new Uint32Array(ids.buffer, ids.byteOffset, 2 * ids.length);
    let start = 0;
    for (let at = 1; at <= ids.length; at++) {
      const isRun =
        at < ids.length &&
        halves[2 * at + LOW_HALF] === halves[2 * at - 2 + LOW_HALF]! + 1 &&
        halves[2 * at + HIGH_HALF] === halves[2 * at - 2 + HIGH_HALF] &&
        (halves[2 * at + LOW_HALF]! & this.layout.maxSequence) !== 0;
      if (isRun) continue;
      this.noteRun(halves[2 * start + HIGH_HALF]!, halves[2 * start + LOW_HALF]!, at - start, issue);
      start = at;
    }
    const last = 2 * ids.length - 2;
    const lastTick = this.tickOf(halves[last + HIGH_HALF]!, halves[last + LOW_HALF]!);
    this.stampErrors.add(Math.abs(this.layout.startOfTick(lastTick + this.baseTick) - issue.trueMs));
    return this.problems > before ? `now ${JSON.stringify(this.verdict)}` : undefined;
  }

  /** A line for people. */
  describe(ids: BigUint64Array): string {
    const halves = new Uint32Array(ids.buffer, ids.byteOffset, 2 * ids.length);
    const show = (at: number): string => {
      const [high, low] = [halves[2 * at + HIGH_HALF]!, halves[2 * at + LOW_HALF]!];
      const timeMs = this.layout.startOfTick(this.tickOf(high, low) + this.baseTick) - START_MS;
      return `${(timeMs / 1000).toFixed(3)} s #${low & this.layout.maxSequence}`;
    };
    const worker = (halves[LOW_HALF]! >>> this.sequenceBits) & this.layout.maxWorkerId;
    const rest = ids.length > 1 ? ` .. ${show(ids.length - 1)}` : '';
    return `${ids.length} IDs of worker ID ${worker}: ${show(0)}${rest}`;
  }

  /** Looks at the whole run. */
  conclude(silentHosts: number): Verdict {
    this.verdict.silentHosts = silentHosts;
    const byWorker = new Map<number, TenureTicks[]>();
    for (const [holder, ticks] of this.tenures) {
      if (this.endsInTime(processOf(holder), ticks)) continue;
      const others = byWorker.get(ticks.workerId);
      if (others) others.push(ticks);
      else byWorker.set(ticks.workerId, [ticks]);
    }
    for (const tenures of byWorker.values()) {
      let reached = Number.NEGATIVE_INFINITY;
      for (const { first, last } of tenures.sort((a, b) => a.first - b.first)) {
        if (first <= reached) this.verdict.interleavedTenures++;
        reached = Math.max(reached, last);
      }
    }
    return this.verdict;
  }

  /** Whether it is a copy that has stopped to use its worker ID within the bound. */
  private endsInTime(process: number, { last }: TenureTicks): boolean {
    return this.copies.some(({ processes, untilTick }) => processes.includes(process) && last <= untilTick);
  }

  private isCopied(tick: number): boolean {
    return this.copies.some(({ untilTick }) => tick <= untilTick);
  }

  private get problems(): number {
    const { duplicates, sharedTicks, disorders } = this.verdict;
    return duplicates + sharedTicks + disorders;
  }

  /** Ticks since the world began: small numbers, which are quick to look up. */
  private tickOf(high: number, low: number): number {
    return high * 2 ** this.tickBitsLow + (low >>> (32 - this.tickBitsLow)) - this.baseTick;
  }

  private noteRun(high: number, low: number, count: number, { process, tenure }: Issue): void {
    const tick = this.tickOf(high, low);
    const workerId = (low >>> this.sequenceBits) & this.layout.maxWorkerId;
    const sequence = low & this.layout.maxSequence;
    const holder = holderOf({ process, tenure });
    const use = this.used.note(workerId, tick, sequence, sequence + count - 1, holder);
    if (this.isCopied(tick)) {
      this.verdict.copiedIds += use.duplicates;
    } else {
      this.verdict.duplicates += use.duplicates;
      if (use.isShared) this.verdict.sharedTicks++;
    }
    const known = this.tenures.get(holder);
    if (!known) {
      this.tenures.set(holder, { workerId, first: tick, last: tick, lastSequence: sequence + count - 1 });
      return;
    }
    const ascends = tick > known.last || (tick === known.last && sequence > known.lastSequence);
    if (!ascends || workerId !== known.workerId) this.verdict.disorders++;
    known.last = Math.max(known.last, tick);
    known.lastSequence = sequence + count - 1;
  }
}
