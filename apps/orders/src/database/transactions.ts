import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';

const BUSY_ATTEMPTS = 20;
const BUSY_RETRY_MS = 5;

/**
 * Runs all work on the database, reads included, each in a transaction of its own.
 *
 * A TypeORM DataSource has a single SQLite connection: transactions that overlap in time would fall into each
 * other there, and one's rollback would undo the other's rows. So on SQLite they take turns. One that begins to write
 * after another process has written since it began to read is refused by SQLite, and runs again.
 */
@Injectable()
export class Transactions {
  private readonly takeTurns: boolean;
  private readonly running = new AsyncLocalStorage<true>();
  private previous: Promise<unknown> = Promise.resolve();

  constructor(@InjectDataSource() private readonly dataSource: DataSource) {
    this.takeTurns = dataSource.options.type === 'better-sqlite3';
  }

  /**
   * Commits when `work` resolves, rolls everything back when it rejects. On SQLite, `work` may run more than once.
   *
   * @throws Error when called from within `work`: it would wait for itself
   */
  async run<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    if (this.running.getStore()) {
      throw new Error(
        'A transaction is running already: hand its EntityManager on instead of starting another',
      );
    }
    if (!this.takeTurns) return this.transaction(work);
    const turn = this.previous.then(() => this.whenNotBusy(work));
    this.previous = turn.catch(() => undefined);
    return turn;
  }

  private async whenNotBusy<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.transaction(work);
      } catch (error) {
        if (!isBusy(error) || attempt === BUSY_ATTEMPTS) throw error;
      }
      await delay(attempt * BUSY_RETRY_MS);
    }
  }

  private transaction<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.running.run(true, () => this.dataSource.transaction(work));
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY');
}
