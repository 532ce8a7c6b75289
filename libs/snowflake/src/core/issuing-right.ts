import type { BitLayout } from './bit-layout.js';
import type { TimestampWindow } from './logical-clock.js';
import { requireWholeNumber } from './option-checks.js';

/** The right to issue IDs of one worker ID for one window of timestamps. */
export interface IssuingRight extends TimestampWindow {
  readonly workerId: number;
  /** Default 0. */
  readonly datacenterId?: number;
}

/** An ID too large for its field would spill into the fields above it. @throws InvalidOptionError */
export function requireFields({ workerId, datacenterId = 0 }: IssuingRight, layout: BitLayout): void {
  requireWholeNumber('workerId', workerId, 0, layout.maxWorkerId);
  requireWholeNumber('datacenterId', datacenterId, 0, layout.maxDatacenterId);
}
