import type { QueryRunner } from 'typeorm';
import { safeCopy } from 'nestjs-snowflake/internal/core/errors/foreign-error';
import { showValue } from 'nestjs-snowflake/internal/core/errors/show-value';
import type { SnowflakeError } from 'nestjs-snowflake/core';
import { SeriesTransactionError } from '../core/series-errors.js';
import type { QueuedTransaction } from './transaction-queue.js';

/** A number that a transaction has got. */
interface TakenNumber {
  readonly text: string;
  /** How deep the transaction was when it was asked for. */
  readonly askedAt: number;
  /** How deep the savepoint is that takes it back: first how deep the transaction was when it was there. */
  depth: number;
}

/**
 * The open transaction of a connection. What happens to it decides two questions:
 *
 * | what has happened          | can it take a number? | can it be committed? |
 * | -------------------------- | --------------------- | -------------------- |
 * | nothing                    | yes                   | yes                  |
 * | `fail`                     | no                    | no                   |
 * | `lose`, without a number   | no                    | yes                  |
 * | `lose`, with a number      | no                    | no                   |
 *
 * The first failure stays, and `requireCommittable` throws it. From `beginToEnd` until `leave`, work on it can execute no statement.
 */
export class OpenTransaction {
  /** Its place in the queue, if `series.transaction()` runs it alone on a single connection. */
  queued: QueuedTransaction | undefined;
  /** The transaction of `series.transaction()` whose work takes its numbers: itself, or one around it. */
  numberedBy: QueuedTransaction | undefined;

  private currentDepth = 1;
  private isEnding = false;
  /** Whether it has, or may have, a number. */
  private hasNumbers = false;
  /** Why it must not be committed. */
  private failure: SnowflakeError | undefined;
  /** Why the database has ended it, or may have, though the app goes on. */
  private loss: SnowflakeError | undefined;
  /** Whether SQLite may have ended it already, and would then refuse a ROLLBACK. */
  private mayBeOver = false;
  /** The last error of a statement. The app may have caught it, and PostgreSQL have rolled everything back because of it. */
  private statementError: unknown;

  /** Work on it that has not settled. */
  private readonly working = new Set<Promise<unknown>>();
  /** Rows with a number whose INSERT has not succeeded, and the depth at which they got it. */
  private readonly unwritten = new Map<object, number>();
  /** Its numbers, those of the innermost savepoint last. */
  private readonly numbers: TakenNumber[] = [];
  /** The texts of numbers that the rollback of a savepoint has taken back. */
  private readonly takenBack = new Set<string>();

  /** How deep it is: 1, and more within savepoints. */
  get depth(): number {
    return this.currentDepth;
  }

  /** Keeps it from being committed: a number may be missing, or taken by a row that is not inserted. */
  fail(failure: SnowflakeError): void {
    this.failure ??= failure;
  }

  /**
   * The database has, or may have, rolled it back: numbers would be lost, or each be committed by itself.
   *
   * @param mayBeOver whether the database would refuse a ROLLBACK then, as SQLite does
   */
  lose(loss: SnowflakeError, mayBeOver: boolean): void {
    this.loss ??= loss;
    this.mayBeOver = mayBeOver;
    if (this.hasNumbers) this.fail(loss);
  }

  /** Some databases survive a statement that failed, and PostgreSQL does not. */
  noteFailedStatement(error: unknown): void {
    this.statementError = error;
  }

  /** @throws SeriesTransactionError, or why the database has ended it */
  requireUsable(): void {
    if (this.loss) throw this.loss;
    if (!this.failure) return;
    const remedy = 'Roll back, and run the whole transaction again.';
    throw new SeriesTransactionError('This transaction has failed to take a number', remedy, this.failure);
  }

  /**
   * Runs work that takes a number. The transaction does not end before it has settled.
   *
   * @param work gets a check that throws if the transaction is about to end, or has ended
   */
  async runToEnd<Result>(work: (requireOpen: () => void) => Promise<Result>): Promise<Result> {
    this.hasNumbers = true;
    const result = work(() => {
      if (this.isEnding || this.depth === 0) throw notAwaited();
    });
    this.working.add(result);
    try {
      return await result;
    } finally {
      this.working.delete(result);
    }
  }

  /** Notes a number that was asked for at a depth. */
  addNumber(text: string, askedAt: number): void {
    this.takenBack.delete(text);
    this.numbers.push({ text, askedAt, depth: this.depth });
  }

  /** Notes a row with a number, which must not be committed without the row. */
  addRow(row: object): void {
    this.unwritten.set(row, this.depth);
  }

  noteInserted(row: object): void {
    this.unwritten.delete(row);
  }

  /** Returns the numbers that a statement of the app writes. */
  numbersIn(sql: string, parameters: readonly unknown[]): string[] {
    if (isOfSeries(sql)) return [];
    return this.numbers.map(({ text }) => text).filter((text) => isIn(text, sql, parameters));
  }

  /** Fails if a statement of the app has a number as a value that was taken back, and not taken again. */
  noteStatement(sql: string, parameters: readonly unknown[]): void {
    if (this.takenBack.size === 0 || isOfSeries(sql)) return;
    for (const text of this.takenBack) {
      if (isIn(text, sql, parameters)) this.fail(usesTakenBack(text));
    }
  }

  /** A savepoint begins. */
  enter(): void {
    this.currentDepth += 1;
  }

  /** A COMMIT, a ROLLBACK or the end of a savepoint comes next. Resolves when no work on the transaction is left. */
  async beginToEnd(): Promise<void> {
    this.isEnding = true;
    await Promise.allSettled(this.working);
  }

  /** Resolves if it can be committed, or its savepoint released. @throws its failure */
  async requireCommittable(runner: QueryRunner): Promise<void> {
    const isAwaited = this.working.size === 0;
    await this.beginToEnd();
    if (!isAwaited) this.fail(notAwaited());
    if ([...this.unwritten.values()].some((depth) => depth >= this.depth)) this.fail(notInserted());
    if (!this.failure && this.mayBeRolledBack)
      this.failure = await whyRolledBack(runner, this.statementError);
    if (this.failure) throw this.failure;
  }

  /** Resolves when it, or its savepoint, can be rolled back. */
  async prepareRollback(runner: QueryRunner): Promise<void> {
    await this.beginToEnd();
    if (this.depth > 1) this.takeBackNumbers();
    // TypeORM takes a transaction for open until a ROLLBACK succeeds, and has only one connection to SQLite.
    else if (this.mayBeOver) await runner.query('BEGIN').catch(() => undefined);
  }

  /** It, or its innermost savepoint, has ended. @returns whether it goes on */
  leave(): boolean {
    this.currentDepth -= 1;
    this.isEnding = false;
    for (const [row, depth] of this.unwritten) {
      if (depth > this.depth) this.unwritten.delete(row);
    }
    // The numbers of the savepoint belong to what is around it.
    for (const number of this.numbers) number.depth = Math.min(number.depth, this.depth);
    return this.depth > 0;
  }

  /** Whether the database may have rolled it back because of a statement. Only a COMMIT hides that: the end of a savepoint fails. */
  private get mayBeRolledBack(): boolean {
    return this.depth === 1 && this.hasNumbers && this.statementError !== undefined;
  }

  /**
   * Notes that the innermost savepoint is rolled back. Its own work knows that its numbers are void. What else was at work on the
   * connection does not.
   */
  private takeBackNumbers(): void {
    const first = this.numbers.findIndex(({ depth }) => depth >= this.depth);
    const voided = first < 0 ? [] : this.numbers.splice(first);
    for (const { text, askedAt } of voided) {
      if (askedAt < this.depth) this.fail(usesTakenBack(text));
      // Another scope can have the same text.
      else if (this.numbers.every((number) => number.text !== text)) this.takenBack.add(text);
    }
  }
}

/** Returns whether a statement is one of this package. */
function isOfSeries(sql: string): boolean {
  return sql.includes('snowflake_series');
}

/** Returns whether a statement has a number as a value. */
function isIn(text: string, sql: string, parameters: readonly unknown[]): boolean {
  return parameters.includes(text) || sql.includes(`'${text}'`);
}

function usesTakenBack(text: string): SnowflakeError {
  const remedy = 'Await a nested transaction before you take a number outside of it.';
  return new SeriesTransactionError(
    `The rollback of a nested transaction took back the number ${showValue(text)}, which the transaction still uses`,
    remedy,
  );
}

export function notAwaited(): SeriesTransactionError {
  return new SeriesTransactionError(
    'The transaction ended before its number was taken',
    'Await the call that takes the number.',
  );
}

function notInserted(): SeriesTransactionError {
  const remedy = 'Roll back when an INSERT fails, and run the transaction again without that row.';
  return new SeriesTransactionError('A row has a number, but its INSERT failed', remedy);
}

/**
 * Returns an error if the database has rolled the transaction back already. PostgreSQL would answer the COMMIT without an error, and
 * the app go on with a number that the next document gets.
 */
async function whyRolledBack(runner: QueryRunner, cause: unknown): Promise<SnowflakeError | undefined> {
  try {
    await runner.query('SELECT 1');
    return undefined;
  } catch {
    const remedy =
      'Do not catch the error of a statement within the transaction, or execute such a statement in a nested transaction.';
    return new SeriesTransactionError(
      'The database has rolled back the transaction because of an error that your code caught',
      remedy,
      safeCopy(cause),
    );
  }
}
