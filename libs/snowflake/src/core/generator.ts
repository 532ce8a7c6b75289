import type { BitLayout } from './bit-layout.js';
import type { Clock } from './clock.js';
import { requireCount, requireTarget } from './batch-checks.js';
import { DenseRuns } from './dense-runs.js';
import { type GeneratorOptions, generatorSettings } from './generator-options.js';
import { IdRegister } from './id-register.js';
import { refusalOf } from './refusal.js';
import { SequenceStart } from './sequence-start.js';
import { type IssuingRight, requireEnd, requireRight } from './issuing-right.js';
import { LogicalClock } from './logical-clock.js';

/** For so few IDs a second view of the array would cost more than it saves. */
const FEW = 8;

/**
 * Issues IDs of one worker ID at a time. Synchronous, no I/O.
 *
 * (tick, sequence) only ever goes up within one right to issue, and never past its end: that alone makes IDs unique.
 * The clock decides which tick comes next, but not whether it may be used. (Under the clock rollback policy `reuse` ticks go
 * back, but what is left of each is remembered.)
 *
 * How a call is spent: `credit` IDs may go out without a look at the clock, each a step of the {@link IdRegister}.
 * When it is used up, the clock is looked at, and `refill` chooses the tick and grants new credit: one ID when calls are
 * rare, a short run when they are dense ({@link DenseRuns}).
 */
export class IdGenerator {
  /** Which tick IDs are issued in, and how that compares with the clock. */
  readonly time: LogicalClock;

  private readonly register: IdRegister;
  private readonly start: SequenceStart;
  private readonly idsPerTick: number;
  private readonly runs: DenseRuns;

  /** IDs that may go out without a look at the clock. */
  private credit = 0;
  /** IDs left in the tick besides the credit. */
  private remaining = 0;
  private workerId = -1;
  private stopped = false;

  /**
   * @param random numbers in [0, 1), needed for `sequenceStart: 'random'` only; a call throws InvalidOptionError at others
   * @throws InvalidOptionError
   */
  constructor(
    readonly layout: BitLayout,
    private readonly clock: Clock,
    options: GeneratorOptions = {},
    random?: () => number,
  ) {
    const settings = generatorSettings(layout, options);
    this.time = new LogicalClock(layout, clock, settings);
    this.start = new SequenceStart(settings.sequenceStart, layout, random);
    this.register = new IdRegister(layout);
    this.runs = new DenseRuns(clock, () => this.takeCreditBack());
    this.idsPerTick = layout.idsPerTick;
  }

  /**
   * The next ID as a bigint.
   *
   * @throws LeaseExhaustedError when the window is used up (retryable)
   * @throws SequenceExhaustedError under the sequence policy `throw` (retryable)
   * @throws ClockRollbackError under the rollback policies `wait` and `throw` (retryable)
   * @throws TimestampExhaustedError at the end of the layout
   * @throws NotReadyError before a lease is held, StoppedError after it was given back
   */
  nextBigInt(): bigint {
    if (this.credit > 0) this.credit--;
    else this.takeOne();
    return this.register.nextBigInt();
  }

  /** The next ID as a decimal string. Throws as {@link nextBigInt}. */
  nextId(): string {
    if (this.credit > 0) this.credit--;
    else this.takeOne();
    return this.register.nextDecimal();
  }

  /**
   * The next `count` IDs, ascending unless a listener adopts another right meanwhile. When it throws, as
   * {@link nextBigInt} does, none of them was handed out.
   * @param count a whole number from 0 to 10,000,000
   */
  nextBigInts(count: number): BigUint64Array {
    const ids = new BigUint64Array(requireCount(count));
    if (count > FEW) return this.fillBigInts(ids);
    for (let made = 0; made < count; made++) ids[made] = this.nextBigInt();
    return ids;
  }

  /**
   * Fills `target` with the next IDs, ascending, and returns it: {@link nextBigInts} without a new array. When it
   * throws, as {@link nextBigInt} does or InvalidOptionError, what stands in `target` must not be used.
   */
  fillBigInts<Target extends BigUint64Array>(target: Target): Target {
    const count = requireTarget(target).length;
    const halves = new Uint32Array(target.buffer, target.byteOffset, 2 * count);
    for (let made = 0; made < count;) {
      if (this.credit === 0) this.refill(count - made, this.clock.now());
      const run = Math.min(this.credit, count - made);
      this.register.fill(halves, made, run);
      this.credit -= run;
      made += run;
    }
    return target;
  }

  /** The next `count` IDs as decimal strings, ascending. Bounds and errors as {@link nextBigInts}. */
  nextIds(count: number): string[] {
    const ids = new Array<string>(requireCount(count));
    for (let made = 0; made < count; made++) {
      if (this.credit === 0) this.refill(count - made, this.clock.now());
      this.credit--;
      ids[made] = this.register.nextDecimal();
    }
    return ids;
  }

  /** Whether an ID can be issued right now. */
  get canIssue(): boolean {
    return this.credit > 0 || this.remaining > 0 || this.time.lastUsed < this.time.limit;
  }

  /** The worker ID in use; -1 before the first. */
  get currentWorkerId(): number {
    return this.workerId;
  }

  /**
   * Goes over to another right: the rest of the old one is given up. Without effect after {@link stop}.
   *
   * @throws InvalidOptionError, and nothing has changed, when an ID of it does not fit its field or a time is none
   */
  adopt(right: IssuingRight): void {
    requireRight(right, this.layout);
    if (this.stopped) return;
    this.giveUpTick();
    this.workerId = right.workerId;
    this.register.enter(right.workerId, right.datacenterId ?? 0);
    this.time.enter(right);
  }

  /**
   * Moves the end of the right that is held. Without effect before the first {@link adopt} and after {@link stop}.
   *
   * @throws InvalidOptionError, and nothing has changed, when a time is none
   */
  extend(untilMs: number, clockTimeUntilMs: number): void {
    requireEnd(untilMs, clockTimeUntilMs);
    if (this.stopped || this.workerId < 0) return;
    this.time.extend(untilMs, clockTimeUntilMs);
    if (this.time.last > this.time.limit) this.giveUpTick();
  }

  /** Gives the right up for ever. */
  stop(): void {
    this.stopped = true;
    this.giveUpTick();
    this.time.limit = -1;
  }

  private giveUpTick(): void {
    this.credit = 0;
    this.remaining = 0;
  }

  /**
   * Looks at the clock, and spends one ID. Of calls that come one per turn of the event loop, most find the clock saying
   * what it said last time: then there is nothing to choose.
   */
  private takeOne(): void {
    const clockMs = this.clock.now();
    if (this.remaining > 0 && this.time.isSettledAt(clockMs) && this.runs.countLook()) {
      this.remaining--;
      return;
    }
    this.refill(1, clockMs);
    this.credit--;
  }

  /**
   * Chooses the tick and grants credit for at least one ID, or throws. Looks again while there is no credit: whoever is
   * told of a clock rollback, in the middle of it, may take the rest of the tick, adopt another right, or stop.
   * @param clockMs what the clock has just said
   */
  private refill(wanted: number, clockMs: number): void {
    for (let lookMs = clockMs; ; lookMs = this.clock.now()) {
      const tick = this.time.next(this.idsPerTick - this.remaining, lookMs);
      const opens = tick !== this.time.last;
      if (opens) this.openTick(tick);
      this.credit = Math.min(opens || wanted > 1 ? wanted : this.runs.grant(), this.remaining);
      this.remaining -= this.credit;
      if (this.credit > 0) return;
    }
  }

  private openTick(tick: number): void {
    const { last } = this.time;
    // First, since a source of randomness can throw. It can even call this generator, whose tick is then another one.
    const start = this.start.next(this.remaining === 0 && tick === last + 1);
    if (this.time.last !== last) return;
    if (tick > this.time.limit) throw refusalOf(this.layout, this.time, this.workerId, this.stopped);
    const free = this.time.move(tick, this.idsPerTick - this.remaining);
    const first = free > 0 ? free : start;
    this.remaining = this.idsPerTick - first;
    this.runs.beginTick();
    this.register.beginTick(tick, first);
  }

  /** @returns how much it was */
  private takeCreditBack(): number {
    const left = this.credit;
    this.remaining += left;
    this.credit = 0;
    return left;
  }
}
