import { Inject, Injectable } from '@nestjs/common';
import type { ConfigType } from '@nestjs/config';
import { InjectDataSource } from '@nestjs/typeorm';
import { Series } from 'nestjs-snowflake-series';
import { DataSource, type EntityManager } from 'typeorm';
import { databaseConfig } from '../config/orders.config.js';
import { SqliteWriteLock } from './sqlite-write-lock.js';

/**
 * Runs each piece of database work, including reads, in its own transaction.
 *
 * A TypeORM DataSource has a single SQLite connection. Transactions that overlap would mix there, and one's rollback
 * would undo the other's rows. So on SQLite, `Series` runs transactions one at a time, and a writing one first takes the
 * file's lock, which other processes share.
 */
@Injectable()
export class Transactions {
  private readonly sqliteLock: SqliteWriteLock | undefined;

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    @Inject(databaseConfig.KEY)
    private readonly config: Pick<ConfigType<typeof databaseConfig>, 'lockTimeoutMs'>,
    private readonly series: Series,
  ) {
    if (dataSource.options.type === 'better-sqlite3') this.sqliteLock = new SqliteWriteLock(dataSource);
  }

  /**
   * Runs `work` in a transaction. Commits if it resolves and rolls back if it rejects.
   *
   * @throws SeriesTransactionError if called from within `work`, because the call would wait for itself
   * @throws SeriesConflictError if a lock isn't free in time, or another transaction is in the way
   */
  run<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    // Counts from now, because waiting for the turn is part of waiting for the lock.
    const deadlineMs = performance.now() + this.config.lockTimeoutMs;
    return this.read(async (manager) => {
      await this.sqliteLock?.take(deadlineMs);
      return work(manager);
    });
  }

  /** Runs `work` that only reads in a transaction. Throws the errors of {@link run}. */
  read<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.series.transaction(this.dataSource, work);
  }
}
