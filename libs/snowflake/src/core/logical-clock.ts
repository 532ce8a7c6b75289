import type { BitLayout } from './bit-layout.js';
import type { Clock } from './clock.js';
import { ClockRollbackError, SequenceExhaustedError } from './errors.js';
import type { GeneratorSettings } from './generator-options.js';
import type { TimestampWindow } from './issuing-right.js';
import { TickMemory } from './tick-memory.js';

/**
 * Decides which tick comes next: logical time, which follows the clock as long as the clock goes forward within the
 * window, and never goes back itself (the idea is Lamport's, 1978).
 *
 * It bounds nothing for safety: its user compares each new tick with {@link limit}.
 */
export class LogicalClock {
  /** Called once for each rollback of the clock, in the middle of the call that noticed it. */
  onRollback: ((backwardsMs: number) => void) | undefined;

  /** The tick in use. */
  last = -1;
  /** Last tick of the window. */
  limit = -1;

  private trueTimeLimit = -1;
  private offsetMs = 0;
  /** Latest time seen since the clock was last corrected or went back. */
  private latestMs = Number.NEGATIVE_INFINITY;
  /** What the clock said at the last look, if {@link last} was the answer to it and still is. */
  private settledMs = Number.NaN;
  /** Where the clock stood when it went back. */
  private heldAtTick = -1;
  /** The clock is behind, which was refused and told of already. */
  private refusing = false;
  /** Under the policy `reuse`: what is left of the ticks used. */
  private readonly memory: TickMemory | undefined;
  /** The clock shows ticks again that were used, and what is left of them is being spent. */
  private reusing = false;
  private readonly idsPerTick: number;

  constructor(
    private readonly layout: BitLayout,
    private readonly clock: Clock,
    private readonly settings: GeneratorSettings,
  ) {
    this.idsPerTick = layout.idsPerTick;
    if (settings.onClockRollback === 'reuse') this.memory = new TickMemory();
  }

  /** The clock's time with the correction added. */
  nowMs(): number {
    return this.clock.now() + this.offsetMs;
  }

  /** What is added to the clock, in milliseconds. */
  get correctionMs(): number {
    return this.offsetMs;
  }

  /** The last timestamp that an ID may have used, Unix time in milliseconds. */
  get lastUsedMs(): number {
    return this.layout.endOfTick(this.lastUsed);
  }

  /** The latest tick that an ID may have used. */
  get lastUsed(): number {
    return this.memory && this.memory.highest > this.last ? this.memory.highest : this.last;
  }

  /** End of the window, Unix time in milliseconds. */
  get windowEndMs(): number {
    return this.layout.endOfTick(this.limit);
  }

  /** How far issued timestamps run ahead of the clock, in milliseconds. 0 when they do not. */
  get driftMs(): number {
    return Math.max(0, this.layout.startOfTick(this.last) - this.nowMs());
  }

  /** How far issued timestamps may run ahead of the clock, in milliseconds. */
  get maxDriftMs(): number {
    return this.settings.maxDriftTicks * this.layout.tickMs;
  }

  /** Sets what is added to the clock. A step that comes of this is no clock rollback. */
  correct(offsetMs: number): void {
    this.offsetMs = offsetMs;
    this.settledMs = Number.NaN;
    this.latestMs = Number.NEGATIVE_INFINITY;
  }

  /** Goes over to another window: the rest of the old one is given up. */
  enter(window: TimestampWindow): void {
    this.last = Math.min(Math.max(-1, this.layout.tickAt(window.fromMs)), this.layout.maxTick);
    this.heldAtTick = -1;
    this.latestMs = Number.NEGATIVE_INFINITY;
    this.reusing = false;
    this.memory?.beginAfter(this.last);
    this.extend(window.untilMs, window.clockTimeUntilMs);
  }

  /** Moves the end of the window. */
  extend(untilMs: number, clockTimeUntilMs: number): void {
    this.settledMs = Number.NaN;
    this.limit = Math.min(this.layout.tickAt(untilMs), this.layout.maxTick);
    this.trueTimeLimit = Math.min(this.layout.tickAt(clockTimeUntilMs), this.layout.maxTick);
  }

  /**
   * Goes over to another tick.
   *
   * @param firstFree the first sequence number of {@link last} that is not used
   * @returns the first sequence number of `tick` that is not used
   */
  move(tick: number, firstFree: number): number {
    this.memory?.note(this.last, firstFree);
    this.settledMs = Number.NaN;
    this.last = tick;
    return this.memory?.firstFree(tick) ?? 0;
  }

  /** Whether {@link next} is known to answer {@link last} to this, as long as that tick has IDs left. */
  isSettledAt(clockMs: number): boolean {
    return clockMs === this.settledMs;
  }

  /**
   * The tick to issue in: {@link last} while it is good enough, else another one, which may lie beyond {@link limit}.
   *
   * @param firstFree the first sequence number of `last` that is not used
   * @param clockMs what the clock has just said, without the correction
   * @throws SequenceExhaustedError under the sequence policy `throw`
   * @throws ClockRollbackError under the rollback policies `wait` and `throw`
   */
  next(firstFree: number, clockMs: number): number {
    if (this.isSettledAt(clockMs) && firstFree < this.idsPerTick) return this.last;
    this.settledMs = Number.NaN;
    const readMs = clockMs + this.offsetMs;
    const wentBack = readMs < this.latestMs;
    const nowMs = wentBack ? this.meetRollback(readMs) : this.catchUp(readMs);
    const nowTick = this.layout.tickAt(nowMs);
    // In this order, a clock that says NaN does not use the window up.
    const trueTick = nowTick > this.trueTimeLimit ? this.trueTimeLimit : nowTick;
    if (this.reusing) return this.amongUsed(trueTick, nowTick, firstFree);
    if (trueTick > this.last) return trueTick;
    if (firstFree === this.idsPerTick) return this.after(this.last, nowTick);
    // After a wait, and where somebody was told, a clock that says this once more may have gone back once more.
    if (!wentBack) this.settledMs = clockMs;
    return this.last;
  }

  /** While the clock shows ticks again: the earliest one, from the one it shows on, that has something left. */
  private amongUsed(trueTick: number, nowTick: number, firstFree: number): number {
    const { memory } = this;
    if (!memory || trueTick > this.lastUsed) {
      this.reusing = false;
      return trueTick;
    }
    memory.note(this.last, firstFree);
    return memory.earliestFree(trueTick, this.idsPerTick) ?? this.after(this.lastUsed, nowTick);
  }

  /** The clock has not moved past `last`, and all its sequence numbers are used. */
  private after(last: number, nowTick: number): number {
    const next = last + 1;
    const { onSequenceExhausted, maxDriftTicks } = this.settings;
    const furthest = Math.max(nowTick, this.heldAtTick) + maxDriftTicks;
    if (next <= furthest || next > this.limit) return next;
    if (onSequenceExhausted === 'throw')
      throw new SequenceExhaustedError(this.idsPerTick, this.layout.tickMs);
    // One tick of blocking at most for one tick of IDs: logical time then runs no faster than real time, so the step
    // is taken even when the wall clock stands still or went back meanwhile.
    const dueMs = this.layout.startOfTick(next - maxDriftTicks) - this.offsetMs;
    this.clock.blockUntil(dueMs, this.layout.tickMs);
    return next;
  }

  /** @returns `nowMs` */
  private catchUp(nowMs: number): number {
    this.latestMs = nowMs;
    this.refusing = false;
    return nowMs;
  }

  /** @returns the time to go on with @throws ClockRollbackError */
  private meetRollback(nowMs: number): number {
    const backwardsMs = this.latestMs - nowMs;
    const { onClockRollback, rollbackToleranceMs } = this.settings;
    if (onClockRollback === 'throw') throw this.refusal(backwardsMs);
    if (onClockRollback === 'wait') return this.waitOut(backwardsMs);
    if (backwardsMs <= rollbackToleranceMs) return nowMs;
    this.heldAtTick = Math.max(this.heldAtTick, this.layout.tickAt(this.latestMs));
    this.latestMs = nowMs;
    this.reusing = onClockRollback === 'reuse';
    this.onRollback?.(backwardsMs);
    return nowMs;
  }

  private waitOut(backwardsMs: number): number {
    if (backwardsMs > this.settings.rollbackToleranceMs) throw this.refusal(backwardsMs);
    this.clock.blockUntil(this.latestMs - this.offsetMs, 2 * backwardsMs);
    const nowMs = this.clock.now() + this.offsetMs;
    if (nowMs < this.latestMs) throw this.refusal(this.latestMs - nowMs);
    return this.catchUp(nowMs);
  }

  private refusal(backwardsMs: number): ClockRollbackError {
    const isNew = !this.refusing;
    // First, since whoever is told may ask for an ID and be refused as well.
    this.refusing = true;
    if (isNew) this.onRollback?.(backwardsMs);
    return new ClockRollbackError(backwardsMs, this.settings.onClockRollback);
  }
}
