import { requireRight, type IssuingRight } from '../core/generator/issuing-right.js';
import type { BitLayout } from '../core/layout/bit-layout.js';
import { ClockSkewError } from '../core/errors/lease-errors.js';
import type { IdGenerator } from '../core/generator/generator.js';
import type { KeeperSettings } from './lease-options.js';
import { clockTimeUntilMs } from './lease-schedule.js';
import type { HeldLease } from './lease-answer.js';
import type { Readings } from './machine-state.js';
import type { Clock } from '../core/clock/clock.js';
import { InvalidOptionError } from '../core/errors/input-errors.js';
import { memoryOf, sharedInProcess } from '../core/process-memory.js';
import { systemClock } from '../core/clock/system-clock.js';

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
    const { datacenterId } = this.settings;
    const clockEndMs = clockTimeUntilMs(untilMs, this.settings);
    return { workerId, datacenterId, fromMs, untilMs, clockTimeUntilMs: clockEndMs };
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

/** The use of a worker ID by one ID maker. */
export interface WorkerIdUse {
  /** Returns the time after which it may issue. @throws InvalidOptionError if another ID maker uses the worker ID */
  begin(workerId: number, fromMs: number, storeNowMs: number): number;
  /** Ends what {@link begin} has begun, after the last timestamp that an ID may have used. */
  end(workerId: number, lastUsedMs: number): void;
}

/** The use of a worker ID that a store has leased: the store keeps others from it. */
export const LEASED_USE: WorkerIdUse = { begin: (_workerId, fromMs) => fromMs, end: () => undefined };

/** Each copy of the library has a `systemClock`, but they show one time. */
const SYSTEM_TIME = sharedInProcess('system time', () => ({}));

/** The fixed worker IDs of one clock: makers on different clocks live in different times, as in a simulation. */
class FixedWorkerIds {
  readonly inUse = new Set<string>();
  readonly lastUsedMs = new Map<string, number>();
}

/**
 * The use of a fixed worker ID by one ID maker. No lease keeps others of this process from it, and none tells the next maker
 * which timestamps are used, so the process remembers both.
 */
export class FixedWorkerIdUse implements WorkerIdUse {
  private readonly known: FixedWorkerIds;

  /** @param fingerprint of the layout: with the datacenter ID, it decides whether two fixed worker IDs can lead to equal IDs */
  constructor(
    clock: Clock,
    private readonly fingerprint: string,
    private readonly settings: Pick<KeeperSettings, 'datacenterId' | 'maxSkewMs'>,
    private readonly warn: (message: string) => void,
  ) {
    this.known = memoryOf(
      clock === systemClock ? SYSTEM_TIME : clock,
      'fixed worker IDs',
      () => new FixedWorkerIds(),
    );
  }

  /**
   * Keeps other ID makers from the worker ID. Returns the time after which it may issue: `fromMs`, or the last timestamp that
   * this process has used if that is later.
   *
   * @throws InvalidOptionError if another ID maker uses it
   */
  begin(workerId: number, fromMs: number, storeNowMs: number): number {
    const key = this.keyOf(workerId);
    if (this.known.inUse.has(key)) throw inUse(workerId);
    this.known.inUse.add(key);
    const startMs = Math.max(fromMs, this.known.lastUsedMs.get(key) ?? fromMs);
    if (startMs - storeNowMs > this.settings.maxSkewMs) {
      this.warn(
        `Worker ID ${workerId} continues after ${new Date(startMs).toISOString()}, which this process has used already. ` +
          `The clock has stepped back to ${new Date(storeNowMs).toISOString()}.`,
      );
    }
    return startMs;
  }

  /** Lets others have the worker ID that {@link begin} has kept from them, after the last timestamp that an ID may have used. */
  end(workerId: number, lastUsedMs: number): void {
    const { known } = this;
    const key = this.keyOf(workerId);
    known.inUse.delete(key);
    known.lastUsedMs.set(key, Math.max(lastUsedMs, known.lastUsedMs.get(key) ?? lastUsedMs));
  }

  private keyOf(workerId: number): string {
    return `${this.fingerprint} ${this.settings.datacenterId} ${workerId}`;
  }
}

function inUse(workerId: number): InvalidOptionError {
  return new InvalidOptionError(
    'workerId',
    workerId,
    'is in use by another ID maker of this process, which would generate the same IDs',
    'Stop that maker first (in a test: await app.close()), or give each maker its own worker ID.',
  );
}
