import type { QueryRunner } from 'typeorm';
import { safeCopy } from 'nestjs-snowflake/internal/core/errors/foreign-error';
import { showValue } from 'nestjs-snowflake/internal/core/errors/show-value';
import { SeriesTransactionError } from '../core/series-errors.js';
import type { SnowflakeError } from 'nestjs-snowflake/core';
import type { QueuedTransaction } from './transaction-queue.js';

/** A number that a transaction has got. */
interface TakenNumber {
  readonly text: string;
  /** How deep the transaction was when it was asked for. */
  readonly askedAt: number;
  /** How deep the savepoint is that takes it back: first how deep the transaction was when it was there. */
  depth: number;
}

/** What is known of the open transaction of a connection. */
export interface OpenTransaction {
  /** 1 for a transaction, more within savepoints. */
  depth: number;
  /** Its place in the queue, if `series.transaction()` runs it alone on a single connection. */
  queued: QueuedTransaction | undefined;
  /** The transaction of `series.transaction()` whose work asks for its numbers: itself, or one around it. */
  within: QueuedTransaction | undefined;
  /** Work on it that has not settled. */
  readonly working: Set<Promise<unknown>>;
  /** Rows with a number whose INSERT has not succeeded, and the depth at which they got it. */
  readonly unwritten: Map<object, number>;
  /** Its numbers, those of the innermost savepoint last. */
  readonly numbers: TakenNumber[];
  /** The texts of numbers that the rollback of a savepoint has taken back. */
  readonly takenBack: Set<string>;
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

/** Returns a transaction that has just begun. */
export function opened(): OpenTransaction {
  return {
    depth: 1,
    queued: undefined,
    within: undefined,
    working: new Set(),
    unwritten: new Map(),
    numbers: [],
    takenBack: new Set(),
    isEnding: false,
    hasNumbers: false,
  };
}

/**
 * Notes that the innermost savepoint is rolled back. Its own work knows that its numbers are void. What else was at work on the
 * connection does not.
 */
export function takeBack(open: OpenTransaction): void {
  const first = open.numbers.findIndex(({ depth }) => depth >= open.depth);
  const voided = first < 0 ? [] : open.numbers.splice(first);
  for (const { text, askedAt } of voided) {
    if (askedAt < open.depth) open.failure ??= usesTakenBack(text);
    // Another scope can have the same text.
    else if (open.numbers.every((number) => number.text !== text)) open.takenBack.add(text);
  }
}

/** Notes that the numbers of savepoints that have ended belong to the present depth. */
export function keep(open: OpenTransaction): void {
  for (let at = open.numbers.length - 1; at >= 0; at -= 1) {
    const number = open.numbers[at];
    if (number === undefined || number.depth <= open.depth) return;
    number.depth = open.depth;
  }
}

/** Refuses the COMMIT if a statement of the app has a number as a value that was taken back, and not taken again. */
export function requireNumbers(open: OpenTransaction, sql: string, parameters: readonly unknown[]): void {
  if (open.takenBack.size === 0 || isOfSeries(sql)) return;
  for (const text of open.takenBack) {
    if (isIn(text, sql, parameters)) open.failure ??= usesTakenBack(text);
  }
}

/** Returns whether a statement is one of this package. */
export function isOfSeries(sql: string): boolean {
  return sql.includes('snowflake_series');
}

/** Returns whether a statement has a number as a value. */
export function isIn(text: string, sql: string, parameters: readonly unknown[]): boolean {
  return parameters.includes(text) || sql.includes(`'${text}'`);
}

function usesTakenBack(text: string): SnowflakeError {
  const remedy = 'Await a nested transaction before you take a number outside of it.';
  return new SeriesTransactionError(
    `The rollback of a nested transaction took back the number ${showValue(text)}, which the transaction still uses`,
    remedy,
  );
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
      'Do not catch the error of a statement within the transaction, or execute such a statement in a nested transaction.';
    return new SeriesTransactionError(
      'The database has rolled back the transaction because of an error that your code caught',
      remedy,
      safeCopy(caught),
    );
  }
}
