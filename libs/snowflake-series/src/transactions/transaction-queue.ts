import { AsyncLocalStorage } from 'node:async_hooks';
import type { DataSource, QueryRunner } from 'typeorm';
import { SeriesConflictError, SeriesTransactionError } from '../core/series-errors.js';
import { systemClock } from 'nestjs-snowflake/core';
import { Turns } from 'nestjs-snowflake/internal/kit/turns';
import type { SeriesDatabases } from '../database/series-database.js';

/** Longest wait for the transactions before. */
const WAIT_WITHIN_MS = 60_000;

/** One transaction of `series.transaction()`. */
export interface QueuedTransaction {
  readonly dataSource: DataSource;
  /** The transaction of another DataSource within which this one runs. */
  readonly outer: QueuedTransaction | undefined;
  /** Whether its work has not settled. Promises and timers that it leaves behind keep its context. */
  isRunning: boolean;
  /** The connections on which its work has asked for numbers, until their transactions end: its own, or one that it opened. */
  readonly numbering: Set<QueryRunner>;
}

/** Runs the transactions of `series.transaction()`: those of a DataSource that has a single connection one after the other. */
export class TransactionQueue {
  private readonly turns = new WeakMap<DataSource, Turns>();
  private readonly storage = new AsyncLocalStorage<QueuedTransaction>();

  constructor(private readonly databases: SeriesDatabases) {}

  /**
   * Runs a transaction, after those before it if the DataSource has a single connection.
   *
   * @param work sets `isRunning` to false as soon as the callback of the app has settled
   * @throws SeriesTransactionError within another transaction of the DataSource, which it would wait for
   * @throws SeriesConflictError if the transactions before it take too long
   */
  async enqueue<Result>(
    dataSource: DataSource,
    work: (queued: QueuedTransaction) => Promise<Result>,
  ): Promise<Result> {
    if (this.current(dataSource)) {
      const remedy = 'Pass its EntityManager on instead of starting another one.';
      throw new SeriesTransactionError('A transaction of this DataSource is already running', remedy);
    }
    const begin = async (): Promise<Result> => {
      const queued: QueuedTransaction = {
        dataSource,
        outer: running(this.storage.getStore()),
        isRunning: true,
        numbering: new Set(),
      };
      try {
        return await this.storage.run(queued, () => work(queued));
      } finally {
        queued.isRunning = false;
      }
    };
    return this.databases.in(dataSource).dialect.hasOneConnection ? this.inTurn(dataSource, begin) : begin();
  }

  /** Returns the running transaction of a DataSource to which the caller belongs. */
  current(dataSource: DataSource): QueuedTransaction | undefined {
    let queued = running(this.storage.getStore());
    while (queued && queued.dataSource !== dataSource) queued = running(queued.outer);
    return queued;
  }

  private inTurn<Result>(dataSource: DataSource, work: () => Promise<Result>): Promise<Result> {
    const turns = this.turns.get(dataSource) ?? new Turns(systemClock);
    this.turns.set(dataSource, turns);
    const expired = (): Error =>
      new SeriesConflictError(`earlier transactions on its connection took more than ${WAIT_WITHIN_MS} ms`);
    return turns.inTurn(work, { withinMs: WAIT_WITHIN_MS, expired });
  }
}

/** Returns the innermost transaction that is running. Links to those that are over would make ever longer chains. */
function running(queued: QueuedTransaction | undefined): QueuedTransaction | undefined {
  let found = queued;
  while (found && !found.isRunning) found = found.outer;
  return found;
}
