import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { EntityManager } from 'typeorm';
import { DataSource } from 'typeorm';

/**
 * Runs all work on the database, reads included, each in a transaction of its own.
 *
 * A TypeORM DataSource has a single SQLite connection: transactions that overlap in time would fall into each
 * other there, and one's rollback would undo the other's rows. So on SQLite they take turns.
 */
@Injectable()
export class Transactions {
  private readonly takeTurns: boolean;
  private previous: Promise<unknown> = Promise.resolve();

  constructor(@InjectDataSource() private readonly dataSource: DataSource) {
    this.takeTurns = dataSource.options.type === 'better-sqlite3';
  }

  /** Commits when `work` resolves, rolls everything back when it rejects. Not to be nested. */
  run<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    if (!this.takeTurns) return this.dataSource.transaction(work);
    const turn = this.previous.then(() => this.dataSource.transaction(work));
    this.previous = turn.catch(() => undefined);
    return turn;
  }
}
