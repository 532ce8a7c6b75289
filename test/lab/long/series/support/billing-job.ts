import type { Driver } from '../../../../../libs/snowflake-series/test/support/invoices.js';

/** How a process takes its numbers. All but `series` are controls. */
export type Way = 'series' | 'counter outside of the transaction' | 'no lock';

/** What a process has to do. */
export interface BillingJob {
  readonly driver: Driver;
  /** The URL of a server, or the file of SQLite. */
  readonly place: string;
  readonly way: Way;
  readonly transactions: number;
  readonly atATime: number;
  /** Gets a line `scope number` after each COMMIT. */
  readonly logFile: string;
}

/** Every so many transactions are rolled back. */
export const ROLLED_BACK_OF = 10;
export const SCOPES = ['acme', 'globex'];
/** New Year in Berlin. The documents of a process pass it half-way, and some are late. */
export const NEW_YEAR_MS = Date.parse('2026-12-31T23:00:00Z');
