import type { SnowflakeErrorCode } from '../core/index.js';
import type { LeaseState } from '../lease/index.js';

/** How an ID maker fares. */
export interface SnowflakeStatus {
  readonly state: LeaseState;
  /** What the store calls itself, e.g. `redis namespace "shop"`. */
  readonly store: string;
  /** Absent before the first lease. */
  readonly workerId?: number;
  readonly datacenterId?: number;
  /** End of the window held: until then IDs can be issued even if the store stays away. Absent when it never ends. */
  readonly leaseUntil?: Date;
  /** The last instant that the bit layout can hold. */
  readonly expiresAt: Date;
  /** How far issued timestamps run ahead of the clock, in milliseconds. */
  readonly driftMs: number;
  /**
   * What is added to the local clock, in milliseconds: where the store's differs by more than `maxSkewMs`, and where a
   * window begins in the future of the local one.
   */
  readonly clockCorrectionMs: number;
  /** The last call of the store, if it failed. */
  readonly lastError?: { readonly code: SnowflakeErrorCode; readonly message: string };
}
