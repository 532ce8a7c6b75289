import type { DataSource, EntityManager, QueryRunner } from 'typeorm';
import { SeriesConflictError, SeriesTransactionError } from '../core/series-errors.js';
import type { SnowflakeError } from 'nestjs-snowflake/core';
import {
  isIn,
  isOfSeries,
  keep,
  opened,
  type OpenTransaction,
  requireNumbers,
  settled,
  takeBack,
  whyRolledBack,
} from './open-transaction.js';
import type { Statements } from 'nestjs-snowflake/internal/kit/sql/statements';
import type { SeriesDatabase, SeriesDatabases } from '../database/series-database.js';
import { statementsOn } from '../database/statements.js';
import { TransactionQueue, type QueuedTransaction } from './transaction-queue.js';

const REMEDY =
  'Use the manager that series.transaction() passes: await series.transaction(dataSource, async (manager) => { … }). ' +
  'save() opens a transaction by itself, but insert(), upsert() and query builders do not.';
const ON_ONE_CONNECTION =
  'A DataSource of SQLite has a single connection, on which overlapping transactions would mix. Use ' +
  'series.transaction(dataSource, async (manager) => { … }), which runs one transaction after the other.';

const NOT_NESTED =
  'On SQLite, a number can be taken only directly within series.transaction(), not within a nested transaction';

const OTHER_CONNECTION =
  'Use the EntityManager that series.transaction() passes: manager.save(…), or manager.withRepository(repository).save(…). ' +
  'Another connection would wait for this transaction, which waits for it.';

const MIXED = 'another transaction began on the only connection of SQLite';

/**
 * Knows the transactions in which numbers are taken: by the events of TypeORM, and because it runs those of a DataSource
 * that has a single connection, one at a time.
 */
export class TransactionWatch {
  private readonly open = new WeakMap<QueryRunner, OpenTransaction>();
  private readonly transactions: TransactionQueue;
  private readonly dirtyReaders = new WeakSet<QueryRunner>();

  constructor(private readonly databases: SeriesDatabases) {
    this.transactions = new TransactionQueue(databases);
  }

  /**
   * Runs `work` in a transaction.
   *
   * @throws SeriesTransactionError within another such transaction of the DataSource, which it would wait for
   * @throws SeriesConflictError if a foreign transaction is open on the only connection
   */
  run<Result>(dataSource: DataSource, work: (manager: EntityManager) => Promise<Result>): Promise<Result> {
    return this.transactions.run(dataSource, (queued) => {
      const workOf = async (manager: EntityManager): Promise<Result> => {
        try {
          return await work(manager);
        } finally {
          // What it left behind must not count as a part of it, during the COMMIT neither.
          queued.isRunning = false;
        }
      };
      if (this.databases.in(dataSource).dialect.hasOneConnection) return this.runAlone(queued, workOf);
      return dataSource.transaction('READ COMMITTED', workOf);
    });
  }

  /** Refuses a connection on which a number could get lost. @throws SeriesTransactionError */
  require(dataSource: DataSource, runner: QueryRunner | undefined): QueryRunner {
    if (runner?.isTransactionActive !== true) {
      throw new SeriesTransactionError('A number of a series can be taken only within a transaction', REMEDY);
    }
    const open = this.open.get(runner);
    if (open?.lost) throw open.lost;
    if (open?.failure) {
      const remedy = 'Roll back, and run the whole transaction again.';
      throw new SeriesTransactionError('This transaction has failed to take a number', remedy, open.failure);
    }
    if (this.dirtyReaders.has(runner)) {
      const remedy = "Use 'READ COMMITTED' or a higher isolation level.";
      throw new SeriesTransactionError('A READ UNCOMMITTED transaction cannot take a number', remedy);
    }
    const queued = this.transactions.current(dataSource);
    if (!this.databases.in(dataSource).dialect.hasOneConnection) {
      if (queued && open) requireOneConnection(queued, open, runner);
      return runner;
    }
    if (queued === undefined || open?.queued !== queued) {
      throw new SeriesTransactionError(
        'On SQLite, a number can be taken only within series.transaction()',
        ON_ONE_CONNECTION,
      );
    }
    if (open.depth !== 1) {
      throw new SeriesTransactionError(NOT_NESTED, 'Take the number outside of the nested transaction.');
    }
    return runner;
  }

  /** Keeps the transaction from being committed: a number may be missing, or taken by a row that is not inserted. */
  fail(runner: QueryRunner, failure: SnowflakeError): void {
    const open = this.open.get(runner);
    if (open) open.failure ??= failure;
  }

  /**
   * Notes that the database has, or may have, rolled it back: numbers would be lost, or each be committed by itself.
   *
   * @param mayBeOver whether the database would refuse a ROLLBACK then, as SQLite does
   */
  lost(runner: QueryRunner, failure: SnowflakeError, mayBeOver: boolean): void {
    const open = this.open.get(runner);
    if (!open) return;
    open.lost ??= failure;
    open.mayBeOver = mayBeOver;
    if (open.hasNumbers) open.failure ??= failure;
  }

  /** Notes that a statement failed, which some databases survive and PostgreSQL does not. */
  failed(runner: QueryRunner, error: unknown): void {
    const open = this.open.get(runner);
    if (open) open.caught = error;
  }

  /** Notes that a row has a number, which must not be committed without the row. */
  numbered(runner: QueryRunner, row: object): void {
    const open = this.open.get(runner);
    open?.unwritten.set(row, open.depth);
  }

  inserted(runner: QueryRunner, row: object): void {
    this.open.get(runner)?.unwritten.delete(row);
  }

  /** Returns how deep the transaction is: 1, and more within savepoints. */
  depth(runner: QueryRunner): number {
    return this.open.get(runner)?.depth ?? 1;
  }

  /** Notes that a number is there that was asked for at a depth. */
  taken(runner: QueryRunner, text: string, askedAt: number): void {
    const open = this.open.get(runner);
    if (!open) return;
    open.takenBack.delete(text);
    open.numbers.push({ text, askedAt, depth: open.depth });
  }

  /** Returns the numbers of the transaction that a statement of the app writes. */
  numbersIn(runner: QueryRunner, sql: string, parameters: readonly unknown[]): string[] {
    const open = this.open.get(runner);
    if (!open || isOfSeries(sql)) return [];
    return open.numbers.map(({ text }) => text).filter((text) => isIn(text, sql, parameters));
  }

  started(runner: QueryRunner): void {
    const open = this.open.get(runner);
    if (!open) {
      this.open.set(runner, opened());
      return;
    }
    open.depth += 1;
    if (open.queued) open.failure ??= this.mixed(open.queued);
  }

  /**
   * Runs `work` on a connection, so that the transaction does not end before it has settled: a statement after that would be a
   * transaction of its own. While the transaction waits to end, `work` can execute no other statement.
   */
  async within<Result>(
    database: SeriesDatabase,
    runner: QueryRunner,
    work: (statements: Statements) => Promise<Result>,
  ): Promise<Result> {
    const open = this.open.get(runner);
    const requireOpen = (): void => {
      if (!open || open.isEnding || this.open.get(runner) !== open) throw notAwaited();
    };
    if (open) open.hasNumbers = true;
    const result = work(statementsOn(database, runner, requireOpen));
    open?.working.add(result);
    try {
      return await result;
    } finally {
      open?.working.delete(result);
    }
  }

  /** Resolves when nothing works on the transaction any more. @throws the failure of the transaction */
  async committing(runner: QueryRunner): Promise<void> {
    const open = this.open.get(runner);
    if (!open) return;
    const isAwaited = open.working.size === 0;
    await settled(open);
    if (!isAwaited) open.failure ??= notAwaited();
    if ([...open.unwritten.values()].some((depth) => depth >= open.depth)) open.failure ??= notInserted();
    if (open.hasNumbers && open.caught !== undefined && open.depth === 1)
      open.failure ??= await whyRolledBack(runner, open);
    if (open.failure) throw open.failure;
  }

  /** Resolves when nothing works on the transaction any more, and it can be rolled back. */
  async rollingBack(runner: QueryRunner): Promise<void> {
    const open = this.open.get(runner);
    if (!open) return;
    await settled(open);
    if (open.depth > 1) takeBack(open);
    // TypeORM takes a transaction for open until a ROLLBACK succeeds, and has only one connection to SQLite.
    if (open.mayBeOver && open.depth === 1) await runner.query('BEGIN').catch(() => undefined);
  }

  ended(runner: QueryRunner): void {
    const open = this.open.get(runner);
    if (!open) return;
    open.depth -= 1;
    open.isEnding = false;
    for (const [row, depth] of open.unwritten) {
      if (depth > open.depth) open.unwritten.delete(row);
    }
    keep(open);
    if (open.depth > 0) return;
    open.within?.numbering.delete(runner);
    this.open.delete(runner);
    this.dirtyReaders.delete(runner);
  }

  /** Sees which isolation level a transaction is given, and which numbers it writes. */
  querying(runner: QueryRunner, sql: string, parameters: readonly unknown[]): void {
    const open = this.open.get(runner);
    if (open) requireNumbers(open, sql, parameters);
    if (/^SET TRANSACTION ISOLATION LEVEL READ UNCOMMITTED/i.test(sql)) this.dirtyReaders.add(runner);
  }

  /** A nested transaction of the same work looks like a foreign one, but comes again in a retry. */
  private mixed(queued: QueuedTransaction): SnowflakeError {
    if (this.transactions.current(queued.dataSource) !== queued) return new SeriesConflictError(MIXED);
    return new SeriesTransactionError(
      NOT_NESTED,
      'Use the EntityManager that series.transaction() passes, and open no transaction with it.',
    );
  }

  private async runAlone<Result>(
    queued: QueuedTransaction,
    work: (manager: EntityManager) => Promise<Result>,
  ): Promise<Result> {
    const { dataSource } = queued;
    const runner = dataSource.createQueryRunner();
    if (runner.isTransactionActive) throw new SeriesConflictError(MIXED);
    return dataSource.transaction((manager) => {
      const open = this.open.get(runner);
      if (open?.depth !== 1) throw new SeriesConflictError(MIXED);
      open.queued = queued;
      return work(manager);
    });
  }
}

/**
 * Refuses a number on a second connection while the work of `series.transaction()` has numbers on another one: the second
 * transaction would wait for the first one, whose work waits for it, and no database sees that.
 */
function requireOneConnection(queued: QueuedTransaction, open: OpenTransaction, runner: QueryRunner): void {
  if ([...queued.numbering].some((other) => other !== runner)) {
    throw new SeriesTransactionError(
      'A transaction of this DataSource that takes numbers is already running',
      OTHER_CONNECTION,
    );
  }
  queued.numbering.add(runner);
  open.within = queued;
}

function notAwaited(): SeriesTransactionError {
  return new SeriesTransactionError(
    'The transaction ended before its number was taken',
    'Await the call that takes the number.',
  );
}

function notInserted(): SeriesTransactionError {
  const remedy = 'Roll back when an INSERT fails, and run the transaction again without that row.';
  return new SeriesTransactionError('A row has a number, but its INSERT failed', remedy);
}
