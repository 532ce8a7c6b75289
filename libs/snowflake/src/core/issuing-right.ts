import type { BitLayout } from './bit-layout.js';
import { requireInstant, requireWholeNumber } from './option-checks.js';

/** The timestamps `(fromMs, untilMs]` that may be used, Unix time in milliseconds. */
export interface TimestampWindow {
  readonly fromMs: number;
  readonly untilMs: number;
  /**
   * Up to here ticks follow the clock; above it they go on in logical time up to `untilMs`, each used up before the
   * next. Unix time in milliseconds.
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
 * An ID too large for its field would spill into the fields above it, and a window that ends nowhere would never end.
 *
 * @throws InvalidOptionError
 */
export function requireRight(right: IssuingRight, layout: BitLayout): void {
  requireWholeNumber('workerId', right.workerId, 0, layout.maxWorkerId);
  requireWholeNumber('datacenterId', right.datacenterId ?? 0, 0, layout.maxDatacenterId);
  requireInstant('fromMs', right.fromMs);
  requireEnd(right.untilMs, right.clockTimeUntilMs);
}

/** @throws InvalidOptionError */
export function requireEnd(untilMs: number, clockTimeUntilMs: number): void {
  requireInstant('untilMs', untilMs);
  requireInstant('clockTimeUntilMs', clockTimeUntilMs);
}
