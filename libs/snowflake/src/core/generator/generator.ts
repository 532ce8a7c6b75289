import { type BitLayout, requireLayout } from '../layout/bit-layout.js';
import type { Clock } from '../clock/clock.js';
import { requireCount, requireTarget } from './batch-checks.js';
import { DenseRuns } from './dense-runs.js';
import { type GeneratorOptions, generatorSettings } from './generator-options.js';
import { IdRegister } from './id-register.js';
import { refusalOf } from './refusal.js';
import { SequenceStart } from './sequence-start.js';
import { type IssuingRight, requireEnd, requireRight } from './issuing-right.js';
import { LogicalClock } from './logical-clock.js';
import { requireClock, requireFunction, requireInstant } from '../options/option-checks.js';

/** Called once per clock rollback with its length in milliseconds. */
export type RollbackListener = (backwardsMs: number) => void;

/** Batches up to this size are filled one by one, because a second view of the array costs more than it saves. */
const SMALL_BATCH = 8;

/**
 * Issues IDs of one worker ID at a time. Synchronous, without I/O.
 *
 * Within one right to issue, (tick, sequence) only ascends and never passes the right's end: that alone makes IDs
 * unique. The clock decides which tick comes next, but not whether it may be used. (Under the clock rollback policy
 * `reuse`, ticks go back, but the generator remembers which sequence numbers of each are free.)
 *
 * The generator issues `credit` IDs without reading the clock; each is one step of the `IdRegister`. When the
 * credit is used up, it reads the clock, and `refill` chooses the tick and grants new credit: one ID when calls are
 * rare, a short run when they are dense (`DenseRuns`).
 */
export class IdGenerator {
  // These are private at run time, too: code that could write here could issue an ID twice.
  readonly #layout: BitLayout;
  readonly #clock: Clock;
  readonly #time: LogicalClock;
  readonly #register: IdRegister;
  readonly #start: SequenceStart;
  readonly #idsPerTick: number;
  readonly #runs: DenseRuns;
  readonly #rollbackListeners: RollbackListener[] = [];

  /** IDs that can be issued before the clock must be read again. */
  #credit = 0;
  /** IDs left in the tick besides the credit. */
  #remaining = 0;
  /** What {@link issued} is once the tick is used up. */
  #issuedWithTick = 0;
  #workerId = -1;

  /**
   * @param random returns numbers in [0, 1); needed only for `sequenceStart: 'random'`. If it returns anything else,
   * the call that asked for an ID throws InvalidOptionError
   * @throws InvalidOptionError if an option is invalid
   */
  constructor(layout: BitLayout, clock: Clock, options: GeneratorOptions = {}, random?: () => number) {
    this.#layout = requireLayout(layout);
    this.#clock = requireClock('clock', clock, ['now', 'blockUntil', 'schedule']);
    const settings = generatorSettings(layout, options);
    this.#time = new LogicalClock(layout, clock, settings);
    this.#time.onRollback = (backwardsMs) => {
      for (const listener of this.#rollbackListeners) listener(backwardsMs);
    };
    if (random !== undefined) requireFunction('random', random);
    this.#start = new SequenceStart(settings.sequenceStart, layout, random);
    this.#register = new IdRegister(layout);
    this.#runs = new DenseRuns(clock, () => this.#revokeCredit());
    this.#idsPerTick = layout.idsPerTick;
  }

  /** The layout of the IDs. */
  get layout(): BitLayout {
    return this.#layout;
  }

  /**
   * Returns the next ID as a bigint.
   *
   * @throws LeaseExhaustedError if the window is used up (retryable)
   * @throws SequenceExhaustedError under the sequence policy `throw` (retryable)
   * @throws ClockRollbackError under the rollback policies `wait` and `throw` (retryable)
   * @throws TimestampExhaustedError at the end of the layout
   * @throws NotReadyError before the first lease, StoppedError after {@link stop}
   */
  nextBigInt(): bigint {
    if (this.#credit > 0) this.#credit--;
    else this.#spendOne();
    return this.#register.nextBigInt();
  }

  /** Returns the next ID as a decimal string. Throws the errors of {@link nextBigInt}. */
  nextId(): string {
    if (this.#credit > 0) this.#credit--;
    else this.#spendOne();
    return this.#register.nextDecimal();
  }

  /**
   * Returns the next `count` IDs, ascending unless a listener adopts another right during the call. Returns either all
   * of them or none: throws the errors of {@link nextBigInt}.
   *
   * @param count a whole number from 0 to 10,000,000
   * @throws InvalidOptionError if `count` is out of bounds
   */
  nextBigInts(count: number): BigUint64Array {
    const ids = new BigUint64Array(requireCount(count));
    if (count > SMALL_BATCH) return this.fillBigInts(ids);
    for (let made = 0; made < count; made++) ids[made] = this.nextBigInt();
    return ids;
  }

  /**
   * Fills `target` with the next IDs, ascending, and returns it: {@link nextBigInts} without a new array. If it throws,
   * don't use the contents of `target`. Throws the errors of {@link nextBigInt}.
   *
   * @throws InvalidOptionError if `target` isn't a BigUint64Array
   */
  fillBigInts<Target extends BigUint64Array>(target: Target): Target {
    const count = requireTarget(target).length;
    const halves = new Uint32Array(target.buffer, target.byteOffset, 2 * count);
    for (let made = 0; made < count;) {
      if (this.#credit === 0) this.#refill(count - made, this.#clock.now());
      const run = Math.min(this.#credit, count - made);
      this.#register.fill(halves, made, run);
      this.#credit -= run;
      made += run;
    }
    return target;
  }

  /** Returns the next `count` IDs as decimal strings, with the order, bounds and errors of {@link nextBigInts}. */
  nextIds(count: number): string[] {
    const ids = new Array<string>(requireCount(count));
    for (let made = 0; made < count; made++) {
      if (this.#credit === 0) this.#refill(count - made, this.#clock.now());
      this.#credit--;
      ids[made] = this.#register.nextDecimal();
    }
    return ids;
  }

  /** Returns the clock's time with the correction added, Unix time in milliseconds. */
  nowMs(): number {
    return this.#time.nowMs();
  }

  /** What is added to the clock, in milliseconds. */
  get correctionMs(): number {
    return this.#time.correctionMs;
  }

  /** How far issued timestamps run ahead of the clock, in milliseconds; 0 if they don't. */
  get driftMs(): number {
    return this.#time.driftMs;
  }

  /** How far issued timestamps may run ahead of the clock, in milliseconds. */
  get maxDriftMs(): number {
    return this.#time.maxDriftMs;
  }

  /** The last timestamp that an ID may have used, Unix time in milliseconds. */
  get lastUsedMs(): number {
    return this.#time.lastUsedMs;
  }

  /** End of the right that is held, Unix time in milliseconds; `-Infinity` after {@link stop}. */
  get windowEndMs(): number {
    return this.#time.windowEndMs;
  }

  /**
   * Sets what is added to the clock, in milliseconds. The step that this makes does not count as a clock rollback.
   *
   * @throws InvalidOptionError
   */
  correctClock(offsetMs: number): void {
    requireInstant('offsetMs', offsetMs);
    this.#time.correct(offsetMs);
  }

  /**
   * Calls `listener` once for each rollback of the clock, during the call that detected it. The listener may generate IDs,
   * adopt another right or stop the generator; what it throws reaches the caller.
   *
   * @throws InvalidOptionError
   */
  subscribeToRollbacks(listener: RollbackListener): void {
    this.#rollbackListeners.push(requireFunction('listener', listener));
  }

  /** Whether an ID can be issued right now. */
  get canIssue(): boolean {
    return this.#credit > 0 || this.#remaining > 0 || this.#time.lastUsed < this.#time.limit;
  }

  /** How many IDs can be issued once the clock has passed the window: those of the reserve. */
  get idsLeft(): number {
    const { last, limit, clockTimeLimit, isClosed } = this.#time;
    if (isClosed || this.#workerId < 0 || last > limit) return 0;
    if (last < clockTimeLimit) return (limit - clockTimeLimit + 1) * this.#idsPerTick;
    return this.#credit + this.#remaining + (limit - last) * this.#idsPerTick;
  }

  /** How many IDs were issued. Counted per tick, so that it costs nothing per ID. */
  get issued(): number {
    return this.#issuedWithTick - this.#remaining - this.#credit;
  }

  /** The worker ID in use; -1 before the first {@link adopt}. */
  get currentWorkerId(): number {
    return this.#workerId;
  }

  /**
   * Switches to another right and discards the rest of the old one. Does nothing after {@link stop}.
   *
   * @throws InvalidOptionError, without changing anything, if the worker or datacenter ID doesn't fit its field or a
   * time isn't a finite number
   */
  adopt(right: IssuingRight): void {
    requireRight(right, this.#layout);
    if (this.#time.isClosed) return;
    this.#discardTick();
    this.#workerId = right.workerId;
    this.#register.enter(right.workerId, right.datacenterId ?? 0);
    this.#time.enter(right);
  }

  /**
   * Moves the end of the held right. Does nothing before the first {@link adopt} and after {@link stop}.
   *
   * @throws InvalidOptionError, without changing anything, if a time isn't a finite number
   */
  extend(untilMs: number, clockTimeUntilMs: number): void {
    requireEnd(untilMs, clockTimeUntilMs);
    if (this.#time.isClosed || this.#workerId < 0) return;
    this.#time.extend(untilMs, clockTimeUntilMs);
    if (this.#time.last > this.#time.limit) this.#discardTick();
  }

  /** Discards the right for good: from then on the generator issues no IDs. */
  stop(): void {
    this.#time.close();
    this.#discardTick();
  }

  #discardTick(): void {
    this.#issuedWithTick = this.issued;
    this.#credit = 0;
    this.#remaining = 0;
  }

  /**
   * Reads the clock and spends one ID. Most calls that come once per event loop turn read the same time as the call
   * before, so the tick needn't be chosen again.
   */
  #spendOne(): void {
    const clockMs = this.#clock.now();
    if (this.#remaining > 0 && this.#time.isSettledAt(clockMs) && !this.#runs.isNextDense) {
      this.#runs.recordRareReading();
      this.#remaining--;
      return;
    }
    this.#refill(1, clockMs);
    this.#credit--;
  }

  /**
   * Chooses the tick and grants credit for at least one ID, or throws. Repeats until there is credit, because a clock
   * rollback listener runs in the middle of it and can use up the tick, adopt another right, or stop the generator.
   *
   * @param wanted how many IDs the caller generates without reading the clock again
   * @param clockMs the last clock reading
   */
  #refill(wanted: number, clockMs: number): void {
    for (let readMs = clockMs; ; readMs = this.#clock.now()) {
      const tick = this.#time.next(this.#idsPerTick - this.#remaining, readMs);
      const isSameTick = tick === this.#time.last;
      if (!isSameTick) this.#openTick(tick);
      // A listener that has generated IDs can have left credit.
      if (this.#credit > 0) this.#revokeCredit();
      // A single call may be one of many, for which one reading is enough. A batch has its own size.
      const size = isSameTick && wanted === 1 ? this.#runs.recordReading() : wanted;
      this.#credit = Math.min(size, this.#remaining);
      this.#remaining -= this.#credit;
      if (this.#credit > 0) return;
    }
  }

  #openTick(tick: number): void {
    const time = this.#time;
    const { last } = time;
    // This comes first, since a source of randomness can throw. It can even call this generator, whose tick is then another one.
    const start = this.#start.next(this.#remaining === 0 && tick === last + 1);
    if (time.last !== last) return;
    if (tick > time.limit) throw refusalOf(this.#layout, time, this.#workerId);
    const { issued } = this;
    time.moveTo(tick, this.#idsPerTick - this.#remaining);
    const first = time.firstFree > 0 ? time.firstFree : start;
    this.#credit = 0;
    this.#remaining = this.#idsPerTick - first;
    this.#issuedWithTick = issued + this.#remaining;
    this.#runs.beginTick();
    this.#register.beginTick(tick, first);
  }

  /** Makes the next call read the clock. @returns how many IDs that concerns */
  #revokeCredit(): number {
    const revoked = this.#credit;
    this.#remaining += revoked;
    this.#credit = 0;
    return revoked;
  }
}
