import type { DataSource, EntityManager, QueryRunner } from 'typeorm';
import { SeriesConflictError, SeriesTransactionError } from '../core/series-errors.js';
import type { SnowflakeError } from 'nestjs-snowflake/core';
import { notAwaited, OpenTransaction } from './open-transaction.js';
import { means } from 'nestjs-snowflake/internal/kit/sql/errors';
import type { Statements } from 'nestjs-snowflake/internal/kit/sql/statements';
import { toSeriesError } from '../database/database-errors.js';
import type { SeriesDatabase, SeriesDatabases } from '../database/series-database.js';
import { statementsOn } from '../database/runner-statements.js';
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
  transaction<Result>(
    dataSource: DataSource,
    work: (manager: EntityManager) => Promise<Result>,
  ): Promise<Result> {
    return this.transactions.enqueue(dataSource, (queued) => {
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

  /**
   * Refuses a connection on which a number could get lost. Notes that the work of `series.transaction()` takes numbers on it.
   *
   * @throws SeriesTransactionError, or why the database has ended the transaction
   */
  beginNumbering(dataSource: DataSource, runner: QueryRunner | undefined): QueryRunner {
    if (runner?.isTransactionActive !== true) {
      throw new SeriesTransactionError('A number of a series can be taken only within a transaction', REMEDY);
    }
    const open = this.open.get(runner);
    open?.requireUsable();
    if (this.dirtyReaders.has(runner)) {
      const remedy = "Use 'READ COMMITTED' or a higher isolation level.";
      throw new SeriesTransactionError('A READ UNCOMMITTED transaction cannot take a number', remedy);
    }
    const queued = this.transactions.current(dataSource);
    if (!this.databases.in(dataSource).dialect.hasOneConnection) {
      if (queued && open) bindToOneConnection(queued, open, runner);
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

  /** Returns the open transaction of a connection. */
  on(runner: QueryRunner): OpenTransaction | undefined {
    return this.open.get(runner);
  }

  started(runner: QueryRunner): void {
    const open = this.open.get(runner);
    if (!open) {
      this.open.set(runner, new OpenTransaction());
      return;
    }
    open.enter();
    if (open.queued) open.fail(this.mixed(open.queued));
  }

  /**
   * Runs `work` on a connection, so that the transaction does not end before it has settled: a statement after that would be a
   * separate transaction. While the transaction waits to end, `work` can execute no other statement.
   */
  async whileOpen<Result>(
    database: SeriesDatabase,
    runner: QueryRunner,
    work: (statements: Statements) => Promise<Result>,
  ): Promise<Result> {
    const open = this.open.get(runner);
    if (!open) throw notAwaited();
    return open.runToEnd((requireOpen) => work(statementsOn(database, runner, requireOpen)));
  }

  ended(runner: QueryRunner): void {
    const open = this.open.get(runner);
    if (!open || open.leave()) return;
    open.numberedBy?.numbering.delete(runner);
    this.open.delete(runner);
    this.dirtyReaders.delete(runner);
  }

  /** Notes which isolation level a statement sets, and which numbers it writes. */
  noteStatement(runner: QueryRunner, sql: string, parameters: readonly unknown[]): void {
    this.open.get(runner)?.noteStatement(sql, parameters);
    if (/^SET TRANSACTION ISOLATION LEVEL READ UNCOMMITTED/i.test(sql)) this.dirtyReaders.add(runner);
  }

  /** Notes that a statement has failed, because of which the database may have ended the transaction. */
  noteFailedStatement(dataSource: DataSource, runner: QueryRunner, error: unknown): void {
    const open = this.open.get(runner);
    if (means(error, 'endsTransaction')) {
      // SQLite, which has one connection, refuses a ROLLBACK after that.
      const { hasOneConnection } = this.databases.in(dataSource).dialect;
      open?.lose(toSeriesError(error, dataSource.options), hasOneConnection);
    } else if (!means(error, 'afterFailure')) open?.noteFailedStatement(error);
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
 * Lets the work of `series.transaction()` take numbers on this connection, and on no other one until the transaction there has ended. A second
 * transaction would wait for the first one, whose work waits for it, and no database sees that.
 */
function bindToOneConnection(queued: QueuedTransaction, open: OpenTransaction, runner: QueryRunner): void {
  if ([...queued.numbering].some((other) => other !== runner)) {
    throw new SeriesTransactionError(
      'A transaction of this DataSource that takes numbers is already running',
      OTHER_CONNECTION,
    );
  }
  queued.numbering.add(runner);
  open.numberedBy = queued;
}
