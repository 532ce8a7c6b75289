import { DecimalWriter } from '../core/decimal-writer.js';
import { RateMeter } from '../core/rate-meter.js';
import { requireWholeNumber } from 'nestjs-snowflake/internal/core/options/option-checks';
import { type Segment, SegmentChain } from '../core/segment-chain.js';
import { type ScheduledTask, type SnowflakeError, StoppedError } from 'nestjs-snowflake/core';
import { SegmentExhaustedError } from '../core/segment-errors.js';
import type { StepRule } from '../core/step-rule.js';
import { ReadyWaits } from './ready-waits.js';
import { type ClaimerSettings, SegmentClaimer } from './segment-claimer.js';
import { LONGEST_READY_MS } from './segments-options.js';
import { SourceStop, type StopSettings } from './source-stop.js';

/** How a {@link SegmentSource} claims, waits and stops. */
export interface SourceSettings extends ClaimerSettings, StopSettings {
  readonly rule: StepRule;
  readonly readyTimeoutMs: number;
  /** The step of the tag until the first reply tells that of the table. */
  readonly firstStep: number;
  /** The most numbers of one claim. */
  readonly maxStep: number;
  /** The most numbers at hand. */
  readonly maxHeld: number;
  /** How long a claim may wait for other processes. */
  readonly queueMs: () => number;
  /** Called when the source stops, with the return of its unused numbers. */
  readonly noteStop: (tag: string, returned: Promise<void>) => void;
}

/** What a {@link SegmentSource} has at hand. */
export interface SegmentStatus {
  readonly tag: string;
  /** `exhausted` if {@link SegmentSource.next} throws now. */
  readonly state: 'ready' | 'exhausted' | 'stopped';
  /** Numbers at hand. */
  readonly left: number;
  /** The highest number at hand. `resume()` needs it after a loss. */
  readonly highest?: number;
  /** Numbers issued by this source. */
  readonly issued: number;
  /** Numbers issued per second, as an average of about a minute. */
  readonly perSecond: number;
  /** How long the numbers last at this rate, in milliseconds; `Infinity` if none is issued. */
  readonly lastsMs: number;
  /** The error of the last claim, if it failed. */
  readonly lastError?: SnowflakeError;
}

const CHECK_EVERY_MS = 1000;
/** The rate falls in steps of at most so many milliseconds. */
const LONGEST_CHECK_MS = 10_000;
const FIRST_RETRY_MS = 50;

/**
 * Issues the numbers of one tag from segments at hand, and claims the next ones in the background, well before they are
 * needed. Get it from `@InjectSegment(tag)` or `segments.source(tag)`.
 */
export class SegmentSource {
  private readonly chain: SegmentChain;
  private readonly claimer: SegmentClaimer;
  private readonly decimal = new DecimalWriter();
  private readonly meter = new RateMeter();
  private readonly waits: ReadyWaits;
  private tableStep: number;
  /** How many numbers a refused call has asked for. */
  private refused = 0;
  /** Whether a call has found no number since the last claim began. */
  private isStarved = false;
  private failures = 0;
  private lastError: SnowflakeError | undefined;
  /** The claim that is under way. Resolves to its segment if that is granted after the stop. */
  private claiming: Promise<Segment | undefined> | undefined;
  private timer: ScheduledTask | undefined;
  private isCheckDue = false;
  private checkEveryMs = CHECK_EVERY_MS;
  private issuedAtCheck = 0;
  /** Whether the next claim waits after a failure, however many calls find no number. */
  private isPausing = false;
  private isStopped = false;
  private stopping: Promise<void> | undefined;

  /** @internal */
  constructor(
    readonly tag: string,
    private readonly settings: SourceSettings,
  ) {
    const onCheck = (): void => this.checkSoon();
    this.tableStep = settings.firstStep;
    this.chain = new SegmentChain(settings.store.stride, onCheck, () => this.noteStarved());
    this.claimer = new SegmentClaimer(tag, settings);
    this.waits = new ReadyWaits(settings.clock, this.chain, () => {
      this.waits.settle();
      this.checkSupply();
    });
    this.checkSupply();
  }

  /**
   * Returns the next number. The call is synchronous and does no I/O.
   *
   * @throws SegmentExhaustedError if no number is at hand (retryable), StoppedError after {@link stop}
   */
  next(): number {
    return this.chain.next();
  }

  /** Returns the next number as a decimal string, as TypeORM reads it from a bigint column. @throws as {@link next} */
  nextString(): string {
    return this.decimal.write(this.chain.next());
  }

  /** Returns the next number as a bigint. @throws as {@link next} */
  nextBigInt(): bigint {
    return BigInt(this.chain.next());
  }

  /**
   * Returns `count` numbers in ascending order within each segment. If fewer are at hand, it uses none, and claims
   * enough for the next attempt.
   *
   * @throws SegmentExhaustedError, StoppedError; InvalidOptionError unless `count` is a whole number from 0 to the
   * smaller of `maxStep` and `maxHeld`
   */
  nextMany(count: number): number[] {
    requireWholeNumber('count', count, 0, this.mostAtOnce);
    if (count <= this.chain.left) return this.chain.nextMany(count);
    this.refused = count;
    if (!this.isStopped) this.checkSoon();
    throw this.exhausted(count);
  }

  /**
   * Returns the next number as a decimal string, as `@SegmentId()` and other adapters need it.
   *
   * @throws as {@link next}
   */
  nextId(): string {
    return this.nextString();
  }

  /** Whether {@link next} can issue right now. */
  get canIssue(): boolean {
    return this.chain.left > 0;
  }

  /**
   * Resolves when `count` numbers are at hand, and reserves them until the event loop's next turn: no other call of `ready()`
   * counts on them. A caller of {@link next} that hasn't awaited `ready()` can still take them.
   *
   * @param timeoutMs how long it waits, in milliseconds: 0 to 600,000, and `readyTimeoutMs` by default
   * @throws SegmentExhaustedError after that time; UnknownTagError, HistoryChangedError, StoppedError;
   * InvalidOptionError unless `count` is a whole number from 1 to the smaller of `maxStep` and `maxHeld`
   */
  async ready(count = 1, timeoutMs = this.settings.readyTimeoutMs): Promise<void> {
    requireWholeNumber('count', count, 1, this.mostAtOnce);
    requireWholeNumber('timeoutMs', timeoutMs, 0, LONGEST_READY_MS);
    if (this.isStopped) throw this.exhausted(count);
    const waiting = this.waits.until(count, timeoutMs, () => this.exhausted(count));
    if (this.chain.left < this.waits.wanted) this.checkSupply();
    return waiting;
  }

  /** Returns what is at hand. */
  status(): SegmentStatus {
    const { left, issued, highest } = this.chain;
    const { perMs } = this.meter;
    return {
      tag: this.tag,
      state: this.isStopped ? 'stopped' : left > 0 ? 'ready' : 'exhausted',
      left,
      ...(highest !== undefined && { highest }),
      issued,
      perSecond: perMs * 1000,
      lastsMs: perMs > 0 ? left / perMs : Infinity,
      ...(this.lastError && { lastError: this.lastError }),
    };
  }

  /**
   * Stops issuing immediately, and returns the unused numbers within `stopTimeoutMs`. Never rejects. {@link Segments} forgets
   * the source: `segments.create(tag)` makes another one.
   */
  stop(): Promise<void> {
    return this.stopWithin(this.settings.stopTimeoutMs);
  }

  /**
   * @param lateMs how long it waits for what claims without a reply may have been granted
   * @internal
   */
  stopWithin(lateMs: number): Promise<void> {
    if (this.stopping) return this.stopping;
    this.isStopped = true;
    this.timer?.cancel();
    const rests = [...this.chain.drain(), ...this.chain.drainFinished(), ...this.claimer.drainFinished()];
    this.waits.fail(new StoppedError(undefined, this.tag));
    const stop = new SourceStop(this.tag, this.claimer, this.settings, lateMs);
    this.stopping = stop.run(rests, this.claiming);
    this.settings.noteStop(this.tag, this.stopping);
    return this.stopping;
  }

  /** Checks after `next()` has returned, because that does no I/O. */
  private checkSoon(): void {
    if (this.isCheckDue) return;
    this.isCheckDue = true;
    const check = (): void => {
      this.isCheckDue = false;
      this.checkSupply();
    };
    const { clock } = this.settings;
    if (clock.afterThisTurn) clock.afterThisTurn(check);
    else clock.schedule(0, check);
  }

  /** Claims numbers if the rule, or somebody who waits, needs more than are at hand. */
  private checkSupply(): void {
    if (this.isStopped || this.claiming || this.isPausing) return;
    const { clock, rule } = this.settings;
    const nowMs = clock.now();
    this.meter.read(this.chain.issued, nowMs);
    this.claimer.noteFinished(this.chain.drainFinished());
    const { tableStep, isStarved } = this;
    const view = { ...this.chain.view(), perMs: this.meter.perMs, nowMs, tableStep, isStarved };
    const wanted = Math.max(this.waits.wanted, this.refused);
    const missing = Math.max(rule.claimSize(view), wanted - view.left);
    const size = Math.min(missing, this.settings.maxStep, this.settings.maxHeld - view.left);
    this.chain.checkAfter(rule.checkAfter(view));
    this.isStarved = false;
    if (size > 0) this.claiming = this.claim(size);
    else this.scheduleCheck();
  }

  /** A source that issues nothing checks ever less often, and no more when its rate is 0: its next number wakes it. */
  private scheduleCheck(): void {
    const { issued } = this.chain;
    const isIdle = issued === this.issuedAtCheck;
    this.issuedAtCheck = issued;
    this.checkEveryMs = isIdle ? Math.min(2 * this.checkEveryMs, LONGEST_CHECK_MS) : CHECK_EVERY_MS;
    if (isIdle) this.chain.checkAfter(0);
    if (isIdle && this.meter.perMs === 0) this.timer?.cancel();
    else this.checkAgainIn(this.checkEveryMs);
  }

  private checkAgainIn(ms: number): void {
    this.timer?.cancel();
    this.timer = this.settings.clock.schedule(ms, () => {
      this.isPausing = false;
      this.checkSupply();
    });
  }

  /** Never rejects. Resolves to the segment if it is granted after the stop, which returns it. */
  private async claim(count: number): Promise<Segment | undefined> {
    let afterStop: Segment | undefined;
    try {
      const { segment, step } = await this.claimer.claim(count, this.settings.queueMs());
      this.tableStep = step;
      if (this.isStopped) afterStop = segment;
      else this.chain.add(segment);
      if (this.chain.left >= this.refused) this.refused = 0;
      this.settings.rule.granted(count, this.settings.clock.now());
      this.noteSuccess();
      this.settings.emit({ type: 'claimed', tag: this.tag, first: segment.first, count: segment.count });
    } catch (error) {
      this.noteFailure(error as SnowflakeError);
    }
    this.claiming = undefined;
    if (this.isStopped) return afterStop;
    this.waits.settle();
    if (this.failures === 0) this.checkSoon();
    else this.pause();
    return undefined;
  }

  private pause(): void {
    this.isPausing = true;
    this.checkAgainIn(Math.min(FIRST_RETRY_MS * 2 ** Math.min(this.failures, 10), CHECK_EVERY_MS));
  }

  private noteSuccess(): void {
    const { failures } = this;
    this.failures = 0;
    this.lastError = undefined;
    if (failures > 0) this.settings.emit({ type: 'recovered', tag: this.tag, failures });
  }

  private noteFailure(error: SnowflakeError): void {
    const isNew = this.lastError?.code !== error.code;
    this.failures += 1;
    this.lastError = error;
    if (!error.retryable) this.waits.fail(error);
    if (isNew) this.settings.emit({ type: 'claim-failed', tag: this.tag, error });
  }

  /** The most numbers that one call may ask for. */
  private get mostAtOnce(): number {
    return Math.min(this.settings.maxStep, this.settings.maxHeld);
  }

  /** Returns the error of the call that found no number. */
  private noteStarved(): SnowflakeError {
    this.isStarved = true;
    return this.exhausted(1);
  }

  private exhausted(wanted: number): SnowflakeError {
    if (this.isStopped) return new StoppedError(undefined, this.tag);
    return new SegmentExhaustedError(this.tag, wanted, this.chain.left, this.lastError);
  }
}
