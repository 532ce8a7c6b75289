import type { SnowflakeErrorCode } from '../core/errors/snowflake-error.js';
import type { LeaseState } from '../lease/lease-events.js';

/** State of an ID maker, for health checks and metrics. */
export interface SnowflakeStatus {
  readonly state: LeaseState;
  /** Description of the store, e.g. `redis namespace "shop"`. */
  readonly store: string;
  /** Absent before the first lease. */
  readonly workerId?: number;
  readonly datacenterId?: number;
  /**
   * End of the window: the last timestamp that an ID can have until the lease is renewed. Absent if it never ends.
   *
   * It doesn't end the IDs: while the store is unreachable, the maker spends the timestamps of the reserve, which can last for hours
   * after this time.
   */
  readonly leaseUntil?: Date;
  /**
   * How many IDs the reserve still holds: those that can be issued after {@link leaseUntil} if the store stays unreachable.
   * Absent before the first lease, and if the window never ends.
   */
  readonly idsLeft?: number;
  /** The last instant that the bit layout can hold. */
  readonly expiresAt: Date;
  /** How many IDs this maker has issued. */
  readonly issued: number;
  /** How far issued timestamps run ahead of the clock, in milliseconds. */
  readonly driftMs: number;
  /**
   * What is added to the local clock, in milliseconds. Not 0 if the store's clock differs by more than `maxSkewMs`, or a
   * window begins in the future of the local clock.
   */
  readonly clockCorrectionMs: number;
  /** How many calls to acquire or renew a lease have failed since the start, by the code of their error. */
  readonly failedCalls: Readonly<Record<string, number>>;
  /** Error of the last call to the store, if it failed. */
  readonly lastError?: { readonly code: SnowflakeErrorCode; readonly message: string };
}
