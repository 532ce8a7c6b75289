import type { BitLayout } from '../layout/bit-layout.js';
import type { Clock } from '../clock/clock.js';
import { ClockRollbackError, SequenceExhaustedError } from '../errors/issuing-errors.js';
import type { GeneratorSettings } from './generator-options.js';
import type { TimestampWindow } from './issuing-right.js';
import { TickMemory } from './tick-memory.js';

/** The limit of a closed clock: every tick is beyond it. */
const CLOSED = Number.NEGATIVE_INFINITY;

/**
 * Chooses the next tick. Logical time follows the clock as long as the clock goes forward within the window, and never
 * goes back itself (after Lamport, 1978). Only under the clock rollback policy `reuse`, as in ICH.Snowflake, it follows the
 * clock back to used ticks, which have sequence numbers left.
 *
 * Doesn't enforce the window: for safety, the caller must compare each new tick with {@link limit}.
 */
export class LogicalClock {
  /** Called once per clock rollback, during the call that detects it. */
  onRollback: ((backwardsMs: number) => void) | undefined;

  #last = -1;
  #limit = -1;
  #clockTimeLimit = -1;
  #correctionMs = 0;
  /** Latest reading since the last correction or rollback. */
  private latestMs = Number.NEGATIVE_INFINITY;
  /** The last clock reading, if {@link next} returned {@link last} for it and would do so again. */
  private settledMs = Number.NaN;
  /** The clock's tick just before it went back. */
  private tickBeforeRollback = -1;
  /** Whether {@link onRollback} has been called for the rollback because of which calls are refused. */
  private isRefusalReported = false;
  private readonly idsPerTick: number;
  /** Free sequence numbers of used ticks, under the policy `reuse`. */
  private readonly memory: TickMemory | undefined;
  /** Whether the clock repeats used ticks, under the policy `reuse`. */
  private repeats = false;

  constructor(
    private readonly layout: BitLayout,
    private readonly clock: Clock,
    private readonly settings: GeneratorSettings,
  ) {
    this.idsPerTick = layout.idsPerTick;
    this.memory = settings.onClockRollback === 'reuse' ? new TickMemory() : undefined;
  }

  /** The tick in use. */
  get last(): number {
    return this.#last;
  }

  /** Last tick of the window. */
  get limit(): number {
    return this.#limit;
  }

  /** Last tick to which logical time follows the clock. */
  get clockTimeLimit(): number {
    return this.#clockTimeLimit;
  }

  /** Returns the clock's time plus the correction, as Unix time in milliseconds. */
  nowMs(): number {
    return this.clock.now() + this.#correctionMs;
  }

  /** The correction that is added to the clock, in milliseconds. */
  get correctionMs(): number {
    return this.#correctionMs;
  }

  /** The latest timestamp that an ID can have used, as Unix time in milliseconds. */
  get lastUsedMs(): number {
    return this.layout.endOfTick(this.lastUsed);
  }

  /** The latest tick that an ID can have used. */
  get lastUsed(): number {
    return this.memory ? Math.max(this.memory.highest, this.last) : this.last;
  }

  /** Whether {@link close} was called. */
  get isClosed(): boolean {
    return this.limit === CLOSED;
  }

  /** End of the window, as Unix time in milliseconds. */
  get windowEndMs(): number {
    return this.layout.endOfTick(this.limit);
  }

  /** How far issued timestamps run ahead of the clock, in milliseconds; 0 if they don't. */
  get driftMs(): number {
    return Math.max(0, this.layout.startOfTick(this.last) - this.nowMs());
  }

  /** How far issued timestamps may run ahead of the clock, in milliseconds. */
  get maxDriftMs(): number {
    return this.settings.maxDriftTicks * this.layout.tickMs;
  }

  /** Sets the correction that is added to the clock. A backward step that it causes doesn't count as a rollback. */
  correct(correctionMs: number): void {
    this.#correctionMs = correctionMs;
    this.settledMs = Number.NaN;
    this.latestMs = Number.NEGATIVE_INFINITY;
  }

  /** Switches to another window and discards the rest of the old one. */
  enter(window: TimestampWindow): void {
    this.#last = Math.min(Math.max(-1, this.layout.tickAt(window.fromMs)), this.layout.maxTick);
    this.tickBeforeRollback = -1;
    this.latestMs = Number.NEGATIVE_INFINITY;
    this.repeats = false;
    this.memory?.beginAfter(this.last);
    this.extend(window.untilMs, window.clockTimeUntilMs);
  }

  /** Moves the end of the window. */
  extend(untilMs: number, clockTimeUntilMs: number): void {
    this.settledMs = Number.NaN;
    this.#limit = Math.min(this.layout.tickAt(untilMs), this.layout.maxTick);
    this.#clockTimeLimit = Math.min(this.layout.tickAt(clockTimeUntilMs), this.layout.maxTick);
  }

  /** Puts every tick beyond the limit. The caller must not enter or extend a window afterwards. */
  close(): void {
    this.#limit = CLOSED;
  }

  /** Moves to another tick. @param firstFree the first unused sequence number of the tick that is left, for when the clock repeats it */
  moveTo(tick: number, firstFree: number): void {
    this.settledMs = Number.NaN;
    this.memory?.note(this.last, firstFree);
    this.#last = tick;
  }

  /** The first unused sequence number of the tick in use, just after {@link moveTo}: 0, unless the clock repeats the tick. */
  get firstFree(): number {
    return this.memory?.firstFree(this.last) ?? 0;
  }

  /** Whether {@link next} would return {@link last} for this reading, as long as that tick has IDs left. */
  isSettledAt(clockMs: number): boolean {
    return clockMs === this.settledMs;
  }

  /**
   * Returns the tick to issue in: {@link last} while the clock allows it and it has IDs left, else another one, which
   * can be beyond {@link limit}.
   *
   * @param firstFree the first unused sequence number of `last`
   * @param clockMs the last clock reading, without the correction
   * @throws SequenceExhaustedError under the sequence policy `throw`
   * @throws ClockRollbackError under the rollback policies `wait` and `throw`
   */
  next(firstFree: number, clockMs: number): number {
    if (this.isSettledAt(clockMs) && firstFree < this.idsPerTick) return this.last;
    this.settledMs = Number.NaN;
    const readMs = clockMs + this.#correctionMs;
    const wentBack = readMs < this.latestMs;
    const nowMs = wentBack ? this.meetRollback(readMs) : this.catchUp(readMs);
    const nowTick = this.layout.tickAt(nowMs);
    // The comparison is written so that a clock that returns NaN doesn't use up the window.
    const clockTick = nowTick > this.clockTimeLimit ? this.clockTimeLimit : nowTick;
    const repeatedTick = this.repeatedTick(clockTick, nowTick, firstFree);
    if (repeatedTick !== undefined) return repeatedTick;
    if (clockTick > this.last) return clockTick;
    if (firstFree === this.idsPerTick) return this.after(this.last, nowTick);
    // After a rollback was waited out or reported, the same reading could be another rollback.
    if (!wentBack) this.settledMs = clockMs;
    return this.last;
  }

  /** While the clock repeats ticks, returns the earliest one from its tick on that has free sequence numbers. */
  private repeatedTick(clockTick: number, nowTick: number, firstFree: number): number | undefined {
    if (!this.repeats || !this.memory) return undefined;
    if (clockTick > this.lastUsed) {
      this.repeats = false;
      return clockTick;
    }
    this.memory.note(this.last, firstFree);
    return this.memory.earliestFree(clockTick, this.idsPerTick) ?? this.after(this.lastUsed, nowTick);
  }

  /** Applies the sequence policy when the clock hasn't passed `last` and its sequence numbers are used up. */
  private after(last: number, nowTick: number): number {
    const next = last + 1;
    const { onSequenceExhausted, maxDriftTicks } = this.settings;
    const furthest = Math.max(nowTick, this.tickBeforeRollback) + maxDriftTicks;
    if (next <= furthest || next > this.limit) return next;
    if (onSequenceExhausted === 'throw')
      throw new SequenceExhaustedError(this.idsPerTick, this.layout.tickMs);
    // Blocks at most one tick per tick of IDs. Logical time then runs no faster than real time, so it moves on even if
    // the wall clock stopped or went back in the meantime.
    const dueMs = this.layout.startOfTick(next - maxDriftTicks) - this.#correctionMs;
    this.clock.blockUntil(dueMs, this.layout.tickMs);
    return next;
  }

  /** @returns `nowMs` */
  private catchUp(nowMs: number): number {
    this.latestMs = nowMs;
    this.isRefusalReported = false;
    return nowMs;
  }

  /** @returns the time to continue with @throws ClockRollbackError */
  private meetRollback(nowMs: number): number {
    const backwardsMs = this.latestMs - nowMs;
    const { onClockRollback, rollbackToleranceMs } = this.settings;
    if (onClockRollback === 'throw') throw this.refusal(backwardsMs);
    if (onClockRollback === 'wait') return this.waitOut(backwardsMs);
    if (backwardsMs <= rollbackToleranceMs) return nowMs;
    this.tickBeforeRollback = Math.max(this.tickBeforeRollback, this.layout.tickAt(this.latestMs));
    this.latestMs = nowMs;
    this.repeats = true;
    this.onRollback?.(backwardsMs);
    return nowMs;
  }

  private waitOut(backwardsMs: number): number {
    if (backwardsMs > this.settings.rollbackToleranceMs) throw this.refusal(backwardsMs);
    this.clock.blockUntil(this.latestMs - this.#correctionMs, 2 * backwardsMs);
    const nowMs = this.clock.now() + this.#correctionMs;
    if (nowMs < this.latestMs) throw this.refusal(this.latestMs - nowMs);
    return this.catchUp(nowMs);
  }

  private refusal(backwardsMs: number): ClockRollbackError {
    const isNew = !this.isRefusalReported;
    // This is set before the call, because the listener can ask for an ID, which is refused as well.
    this.isRefusalReported = true;
    if (isNew) this.onRollback?.(backwardsMs);
    return new ClockRollbackError(backwardsMs, this.settings.onClockRollback);
  }
}
