import type { BitLayout } from '../layout/bit-layout.js';
import { requireInstant, requireObject, requireWholeNumber } from '../options/option-checks.js';

/** The timestamps `(fromMs, untilMs]` that the holder may use, as Unix time in milliseconds. */
export interface TimestampWindow {
  readonly fromMs: number;
  readonly untilMs: number;
  /**
   * Up to here, ticks follow the clock. Above it, they continue in logical time up to `untilMs`, each used up before
   * the next. Unix time in milliseconds.
   */
  readonly clockTimeUntilMs: number;
}

/** The right to issue IDs of one worker ID for one window of timestamps. */
export interface IssuingRight extends TimestampWindow {
  readonly workerId: number;
  /** Default 0. */
  readonly datacenterId?: number;
}

/**
 * Throws if the right could cause duplicates: an ID too large for its field would spill into the fields above it, and a
 * window without a finite end would never end.
 *
 * @throws InvalidOptionError
 */
export function requireRight(right: IssuingRight, layout: BitLayout): void {
  requireObject('right', right, 'Pass { workerId, fromMs, untilMs, clockTimeUntilMs }.');
  requireWholeNumber('workerId', right.workerId, 0, layout.maxWorkerId);
  requireWholeNumber('datacenterId', right.datacenterId ?? 0, 0, layout.maxDatacenterId);
  requireInstant('fromMs', right.fromMs);
  requireEnd(right.untilMs, right.clockTimeUntilMs);
}

/** Throws unless both times are finite numbers. @throws InvalidOptionError */
export function requireEnd(untilMs: number, clockTimeUntilMs: number): void {
  requireInstant('untilMs', untilMs);
  requireInstant('clockTimeUntilMs', clockTimeUntilMs);
}
