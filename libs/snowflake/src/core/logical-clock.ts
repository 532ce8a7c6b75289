import type { BitLayout } from './bit-layout.js';
import type { Clock } from './clock.js';
import { SequenceExhaustedError } from './errors.js';
import type { GeneratorSettings } from './generator-options.js';

/** The timestamps `(fromMs, untilMs]` that may be used, Unix time in milliseconds. */
export interface TimestampWindow {
  readonly fromMs: number;
  readonly untilMs: number;
  /**
   * Up to here ticks follow the clock; above it they go on in logical time up to `untilMs`, each used up before the
   * next. Unix time in milliseconds.
   */
  readonly trueTimeUntilMs: number;
}

/**
 * Decides which tick comes next: logical time, which follows the clock as long as the clock goes forward within the
 * window, and never goes back itself (the idea is Lamport's, 1978).
 *
 * It bounds nothing for safety: its user compares each new tick with {@link limit}.
 */
export class LogicalClock {
  /** Called once for each step of the clock that goes back further than the tolerance. */
  onRollback: ((backwardsMs: number) => void) | undefined;

  /** The tick in use. */
  last = -1;
  /** Last tick of the window. */
  limit = -1;

  private trueTimeLimit = -1;
  private offsetMs = 0;
  /** Latest time seen since the clock was last corrected or went back. */
  private latestMs = Number.NEGATIVE_INFINITY;
  /** Where the clock stood when it went back. */
  private heldAtTick = -1;

  constructor(
    private readonly layout: BitLayout,
    private readonly clock: Clock,
    private readonly settings: GeneratorSettings,
  ) {}

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
    return this.layout.endOfTick(this.last);
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
    this.latestMs = Number.NEGATIVE_INFINITY;
  }

  /** Goes over to another window: the rest of the old one is given up. */
  enter(window: TimestampWindow): void {
    this.last = Math.max(-1, this.layout.tickAt(window.fromMs));
    this.heldAtTick = -1;
    this.latestMs = Number.NEGATIVE_INFINITY;
    this.extend(window.untilMs, window.trueTimeUntilMs);
  }

  /** Moves the end of the window. */
  extend(untilMs: number, trueTimeUntilMs: number): void {
    this.limit = Math.min(this.layout.tickAt(untilMs), this.layout.maxTick);
    this.trueTimeLimit = Math.min(this.layout.tickAt(trueTimeUntilMs), this.layout.maxTick);
  }

  /**
   * The tick to issue in: {@link last} while it is good enough, else a later one, which may lie beyond {@link limit}.
   *
   * @param sequenceLeft whether `last` has sequence numbers left
   * @throws SequenceExhaustedError under the policy `throw`
   */
  next(sequenceLeft: boolean): number {
    const nowMs = this.clock.now() + this.offsetMs;
    if (nowMs < this.latestMs) this.noticeRollback(nowMs);
    else this.latestMs = nowMs;
    const nowTick = this.layout.tickAt(nowMs);
    const trueTick = nowTick < this.trueTimeLimit ? nowTick : this.trueTimeLimit;
    if (trueTick > this.last) return trueTick;
    return sequenceLeft ? this.last : this.beyondLast(nowTick);
  }

  /** All sequence numbers of `last` are used and the clock has not moved past it. */
  private beyondLast(nowTick: number): number {
    const next = this.last + 1;
    const { exhaustion, maxDriftTicks } = this.settings;
    const furthest = Math.max(nowTick, this.heldAtTick) + maxDriftTicks;
    if (next <= furthest || next > this.limit) return next;
    if (exhaustion === 'throw') throw new SequenceExhaustedError(this.layout.idsPerTick, this.layout.tickMs);
    // One tick of blocking at most for one tick of IDs: logical time then runs no faster than real time, so the step
    // is taken even when the wall clock stands still or went back meanwhile.
    const dueMs = this.layout.startOfTick(next - maxDriftTicks) - this.offsetMs;
    this.clock.blockUntil(dueMs, this.layout.tickMs);
    return next;
  }

  private noticeRollback(nowMs: number): void {
    const backwardsMs = this.latestMs - nowMs;
    if (backwardsMs <= this.settings.rollbackToleranceMs) return;
    this.heldAtTick = Math.max(this.heldAtTick, this.layout.tickAt(this.latestMs));
    this.latestMs = nowMs;
    this.onRollback?.(backwardsMs);
  }
}
