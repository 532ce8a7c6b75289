import { isCopied, isSameGrant, isWrittenBy } from '../../lease/fencing-token.js';
import type { LeaseClaim } from '../../lease/lease-store.js';
import type { StoredRow } from '../registry-format.js';

/** What decides whether a lease is certainly still its holder's. All times are Unix milliseconds. */
export interface RunningLease {
  /** The end of the lease, by the claim or by its row, whichever is later. */
  readonly reachMs: number;
  readonly reservedUntilMs: number;
  readonly grantsAfterMs: number;
  readonly maxSkewMs: number;
  /** The server's clock. */
  readonly nowMs: number;
}

/**
 * The decisions that uniqueness depends on. A `leaseTransaction` asks them, and keeps no such decision to itself. So a control can
 * replace one, and show that IDs repeat without it.
 */
export interface LeaseMechanisms {
  /** Returns whether the fencing token of a claim is of the grant that is stored. */
  isSameGrant(stored: string, shown: string): boolean;
  /** Returns whether a second process with the memory of this holder has renewed the lease. */
  isCopied(stored: string, shown: string, attempts: readonly string[]): boolean;
  /** Returns whether an earlier attempt of this holder got the grant, and not one of a second process with its memory. */
  isOwnGrant(attempts: readonly string[], fencingToken: string): boolean;
  /** Returns whether a lease is certainly still its holder's. */
  isRunning(lease: RunningLease): boolean;
  /** Returns the row to compare a claim with. */
  rowForClaim(claim: LeaseClaim, stored: StoredRow | undefined): StoredRow | undefined;
  /** Returns the longest window of a namespace, given that of a request and the longest one so far. */
  longestWindowMs(requestedMs: number, storedMs: number): number;
  /** Returns the time after which no grant of a lost history ends. */
  grantsAfterLoss(nowMs: number, longestWindowMs: number, maxSkewMs: number): number;
}

/** The mechanisms of the protocol. The Lua script has the same ones. */
export const LEASE_MECHANISMS: LeaseMechanisms = {
  isSameGrant,
  isCopied,
  isOwnGrant: isWrittenBy,

  /**
   * If the end of a lease is at least maxSkew ahead, no clock has passed it. If its row ends above `grantsAfter`, the row belongs to this
   * history, which is complete: no grant of a lost history ends there.
   */
  isRunning({ reachMs, reservedUntilMs, grantsAfterMs, maxSkewMs, nowMs }) {
    const isOfThisHistory = reservedUntilMs > grantsAfterMs && reservedUntilMs >= nowMs;
    return reachMs - maxSkewMs >= nowMs || isOfThisHistory;
  },

  /** A missing row matches: a holder carries its claim across a wiped registry. */
  rowForClaim({ fencingToken }, stored) {
    return stored ?? { reservedUntilMs: 0, fencingToken };
  },

  /** The longest window outlives a history: a lease that was lost twice may still be running. */
  longestWindowMs: (requestedMs, storedMs) => Math.max(requestedMs, storedMs),

  grantsAfterLoss: (nowMs, longestWindowMs, maxSkewMs) => nowMs + longestWindowMs + maxSkewMs,
};
