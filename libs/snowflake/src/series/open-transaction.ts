import type { QueryRunner } from 'typeorm';
import { safeCopy } from '../core/errors/foreign-error.js';
import { SeriesTransactionError, type SnowflakeError } from '../core/index.js';
import type { Turn } from './turns.js';

/** What is known of the open transaction of a connection. */
export interface OpenTransaction {
  /** 1 for a transaction, more within savepoints. */
  depth: number;
  /** The turn in which this watch runs it alone on a single connection. */
  turn: Turn | undefined;
  /** Work on it that has not settled. */
  readonly working: Set<Promise<unknown>>;
  /** Rows with a number whose INSERT has not succeeded, and the depth at which they got it. */
  readonly unwritten: Map<object, number>;
  /** Whether it, or a savepoint in it, is about to end. */
  isEnding: boolean;
  /** Whether it has, or may have, a number. */
  hasNumbers: boolean;
  /** Why the database has ended it, though the app goes on. */
  lost?: SnowflakeError;
  /** Whether SQLite may have ended it already. */
  mayBeOver?: boolean;
  /** Why it must not be committed. */
  failure?: SnowflakeError;
  /** The last error of a statement. The app may have caught it, and PostgreSQL have rolled everything back because of it. */
  caught?: unknown;
}

/** Resolves when nothing works on a transaction that is about to end. */
export async function settled(open: OpenTransaction): Promise<void> {
  open.isEnding = true;
  await Promise.allSettled(open.working);
}

/**
 * Returns an error if the database has rolled the transaction back already. PostgreSQL would answer the COMMIT without an error, and
 * the app go on with a number that the next document gets.
 */
export async function whyRolledBack(
  runner: QueryRunner,
  { caught }: OpenTransaction,
): Promise<SnowflakeError | undefined> {
  try {
    await runner.query('SELECT 1');
    return undefined;
  } catch {
    const remedy =
      'Let the error of a statement leave the transaction, or execute such a statement in a nested transaction.';
    return new SeriesTransactionError(
      'The database has rolled back the transaction because of an error that was caught',
      remedy,
      safeCopy(caught),
    );
  }
}
