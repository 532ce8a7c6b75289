import { AsyncLocalStorage } from 'node:async_hooks';
import { Inject, Injectable } from '@nestjs/common';
import type { ConfigType } from '@nestjs/config';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { databaseConfig } from '../config/orders.config.js';
import { SqliteWriteLock } from './sqlite-write-lock.js';

/**
 * Runs all work on the database, reads included, each in a transaction of its own.
 *
 * A TypeORM DataSource has a single SQLite connection: transactions that overlap in time would fall into each
 * other there, and one's rollback would undo the other's rows. So on SQLite they take turns, and one that writes takes
 * the lock of the file first, from the other processes on it.
 */
@Injectable()
export class Transactions {
  private readonly sqliteLock: SqliteWriteLock | undefined;
  private readonly running = new AsyncLocalStorage<true>();
  private previous: Promise<unknown> = Promise.resolve();

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    @Inject(databaseConfig.KEY)
    private readonly config: Pick<ConfigType<typeof databaseConfig>, 'lockTimeoutMs'>,
  ) {
    if (dataSource.options.type === 'better-sqlite3') this.sqliteLock = new SqliteWriteLock(dataSource);
  }

  /**
   * Commits when `work` resolves, rolls everything back when it rejects.
   *
   * @throws Error when called from within `work`: it would wait for itself
   * @throws QueryFailedError when a lock is not free in time
   */
  run<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    // From now: whoever waits for a turn waits for the lock as well.
    const deadlineMs = performance.now() + this.config.lockTimeoutMs;
    return this.inTurn(async (manager) => {
      await this.sqliteLock?.take(deadlineMs);
      return work(manager);
    });
  }

  /** The same for `work` that only reads. */
  read<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.inTurn(work);
  }

  private async inTurn<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    if (this.running.getStore()) {
      throw new Error(
        'A transaction is running already: hand its EntityManager on instead of starting another',
      );
    }
    const transaction = (): Promise<T> => this.running.run(true, () => this.dataSource.transaction(work));
    if (!this.sqliteLock) return transaction();
    const turn = this.previous.then(transaction);
    this.previous = turn.catch(() => undefined);
    return turn;
  }
}
