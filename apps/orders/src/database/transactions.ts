import { AsyncLocalStorage } from 'node:async_hooks';
import { Inject, Injectable } from '@nestjs/common';
import type { ConfigType } from '@nestjs/config';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { databaseConfig } from '../config/orders.config.js';
import { SqliteWriteLock } from './sqlite-write-lock.js';

/**
 * Runs each piece of database work, including reads, in its own transaction.
 *
 * A TypeORM DataSource has a single SQLite connection. Transactions that overlap would mix there, and one's rollback
 * would undo the other's rows. So on SQLite, transactions run one at a time, and a writing one first takes the file's
 * lock, which other processes share.
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
   * Runs `work` in a transaction. Commits if it resolves and rolls back if it rejects.
   *
   * @throws Error if called from within `work`, because the call would wait for itself
   * @throws QueryFailedError if a lock isn't free in time
   */
  run<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    // Counts from now, because waiting for the turn is part of waiting for the lock.
    const deadlineMs = performance.now() + this.config.lockTimeoutMs;
    return this.inTurn(async (manager) => {
      await this.sqliteLock?.take(deadlineMs);
      return work(manager);
    });
  }

  /** Runs `work` that only reads in a transaction. Throws the errors of {@link run}. */
  read<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.inTurn(work);
  }

  private async inTurn<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    if (this.running.getStore()) {
      throw new Error(
        'A transaction is already running. Pass its EntityManager on instead of starting another one.',
      );
    }
    const transaction = (): Promise<T> => this.running.run(true, () => this.dataSource.transaction(work));
    if (!this.sqliteLock) return transaction();
    const turn = this.previous.then(transaction);
    this.previous = turn.catch(() => undefined);
    return turn;
  }
}
