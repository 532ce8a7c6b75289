import { requireRight, type IssuingRight } from '../core/generator/issuing-right.js';
import type { BitLayout } from '../core/layout/bit-layout.js';
import { ClockSkewError } from '../core/errors/lease-errors.js';
import type { IdGenerator } from '../core/generator/generator.js';
import type { KeeperSettings } from './lease-options.js';
import { clockTimeUntilMs } from './lease-schedule.js';
import type { HeldLease } from './lease-answer.js';
import type { Readings } from './machine-state.js';
import type { WorkerIdUse } from './worker-id-use.js';

/**
 * The only code that moves the generator's limit: to the end of a lease that the store has granted, and at the stop to where
 * no timestamp is below it.
 */
export class GeneratorControl {
  constructor(
    private readonly generator: IdGenerator,
    private readonly settings: KeeperSettings,
    private readonly workerIdUse: WorkerIdUse,
  ) {}

  /** The layout of the IDs. */
  get layout(): BitLayout {
    return this.generator.layout;
  }

  /** What is added to the local clock, in milliseconds. */
  get clockCorrectionMs(): number {
    return this.generator.correctionMs;
  }

  /**
   * Returns the lease as it can be adopted: a fixed worker ID continues after its last use in this process.
   *
   * @throws InvalidOptionError if its worker ID is too large, or another ID maker of this process uses it
   */
  admit(lease: HeldLease, storeNowMs: number): HeldLease {
    requireRight(this.rightOf(lease), this.generator.layout);
    return { ...lease, fromMs: this.workerIdUse.begin(lease.workerId, lease.fromMs, storeNowMs) };
  }

  /** Lets the generator issue under another lease. */
  adopt(lease: HeldLease): void {
    const { generator } = this;
    generator.adopt(this.rightOf(lease));
    const behindMs = lease.fromMs - readingOf(() => generator.nowMs());
    // The window begins in the future of this clock, but the store's clock says that it has begun.
    if (behindMs > 0) generator.correctClock(generator.correctionMs + behindMs);
  }

  /** Moves the limit to a later end of the same lease. */
  extend(untilMs: number): void {
    this.generator.extend(untilMs, clockTimeUntilMs(untilMs, this.settings));
  }

  /** Puts the limit before the last ID, so that none follows until another lease is adopted. */
  pause(): void {
    const endMs = this.generator.lastUsedMs - this.generator.layout.tickMs;
    this.generator.extend(endMs, endMs);
  }

  /** Closes the limit for good. */
  close(lease: HeldLease | undefined): void {
    this.generator.stop();
    if (lease) this.workerIdUse.end(lease.workerId, this.generator.lastUsedMs);
  }

  /**
   * Corrects the clock if it differs from the store's by more than `maxSkewMs`. Returns by how much it differed, or undefined.
   *
   * @param offsetMs how far the store's clock is ahead of the local one
   * @throws ClockSkewError under `strictClock`, before the first lease
   */
  correctClock(offsetMs: number, isFirst: boolean): number | undefined {
    const { generator, settings } = this;
    const skewMs = offsetMs - generator.correctionMs;
    if (Math.abs(skewMs) <= settings.maxSkewMs) return undefined;
    if (settings.strictClock && isFirst) throw new ClockSkewError(skewMs, settings.maxSkewMs);
    generator.correctClock(offsetMs);
    return skewMs;
  }

  readings(): Omit<Readings, 'clockMs'> {
    const { generator, settings } = this;
    const driftMs = readingOf(() => generator.driftMs);
    return {
      nowMs: readingOf(() => generator.nowMs()),
      isFarAhead: driftMs > settings.maxSkewMs + generator.maxDriftMs,
      canIssue: generator.canIssue,
      lastUsedMs: generator.lastUsedMs,
    };
  }

  private rightOf({ workerId, fromMs, untilMs }: HeldLease): IssuingRight {
    const { settings } = this;
    const { datacenterId } = settings;
    return { workerId, datacenterId, fromMs, untilMs, clockTimeUntilMs: clockTimeUntilMs(untilMs, settings) };
  }
}

/** Reads a clock, or returns NaN if it throws: a clock that has failed must not keep its failure from being reported. */
export function readingOf(now: () => number): number {
  try {
    return now();
  } catch {
    return Number.NaN;
  }
}
