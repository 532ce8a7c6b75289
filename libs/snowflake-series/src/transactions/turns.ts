import { AsyncLocalStorage } from 'node:async_hooks';
import type { DataSource } from 'typeorm';
import { SeriesConflictError, SeriesTransactionError } from '../core/series-errors.js';
import { systemClock } from 'nestjs-snowflake/core';
import { settledWithin } from 'nestjs-snowflake/kit';
import type { SeriesDatabases } from '../database/series-database.js';

/** Longest wait for the transactions before. */
const TURN_WITHIN_MS = 60_000;

/** One transaction of `series.transaction()`. */
export interface Turn {
  readonly dataSource: DataSource;
  /** The turn of another DataSource within which this one runs. */
  readonly outer: Turn | undefined;
  /** Whether its work has not settled. Promises and timers that it leaves behind keep its context. */
  isRunning: boolean;
}

/** Runs the transactions of `series.transaction()`: those of a DataSource that has a single connection one after the other. */
export class Turns {
  private readonly previous = new WeakMap<DataSource, Promise<unknown>>();
  private readonly storage = new AsyncLocalStorage<Turn>();

  constructor(private readonly databases: SeriesDatabases) {}

  /**
   * Gives a transaction its turn.
   *
   * @param work sets `isRunning` to false as soon as the callback of the app has settled
   * @throws SeriesTransactionError within a running turn of the DataSource, which it would wait for
   * @throws SeriesConflictError if the transactions before it take too long
   */
  async run<Result>(dataSource: DataSource, work: (turn: Turn) => Promise<Result>): Promise<Result> {
    if (this.current(dataSource)) {
      const remedy = 'Pass its EntityManager on instead of starting another one.';
      throw new SeriesTransactionError('A transaction of this DataSource is already running', remedy);
    }
    const begin = async (): Promise<Result> => {
      const turn: Turn = { dataSource, outer: running(this.storage.getStore()), isRunning: true };
      try {
        return await this.storage.run(turn, () => work(turn));
      } finally {
        turn.isRunning = false;
      }
    };
    return this.databases.in(dataSource).dialect.hasOneConnection ? this.inTurn(dataSource, begin) : begin();
  }

  /** Returns the running turn of a DataSource to which the caller belongs. */
  current(dataSource: DataSource): Turn | undefined {
    let turn = running(this.storage.getStore());
    while (turn && turn.dataSource !== dataSource) turn = running(turn.outer);
    return turn;
  }

  private inTurn<Result>(dataSource: DataSource, work: () => Promise<Result>): Promise<Result> {
    const before = this.previous.get(dataSource) ?? Promise.resolve();
    const isFree = settledWithin(systemClock, TURN_WITHIN_MS, before, () => {
      return new SeriesConflictError(`the transactions before it took more than ${TURN_WITHIN_MS} ms`);
    });
    const turn = isFree.then(work);
    this.previous.set(dataSource, Promise.allSettled([before, turn]));
    return turn;
  }
}

/** Returns the innermost turn that is running. Links to turns that are over would make ever longer chains. */
function running(turn: Turn | undefined): Turn | undefined {
  let found = turn;
  while (found && !found.isRunning) found = found.outer;
  return found;
}
