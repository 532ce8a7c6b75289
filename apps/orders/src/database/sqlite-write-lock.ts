import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from 'libsql';
import { type DataSource, QueryFailedError } from 'typeorm';

/** Needs the lock, but changes no row. */
const TAKE_LOCK = 'UPDATE products SET id = id WHERE false';
const RETRY_MS = 5;
const LONGEST_RETRY_MS = 100;

/**
 * Takes the lock that a process needs to write to a SQLite file.
 *
 * TypeORM's transactions take it with their first write, which is too late: if a prepared statement of libsql fails
 * because of the lock, it stays open, and no later transaction of the connection can commit. `exec()` leaves no
 * statement open.
 */
export class SqliteWriteLock {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Takes the lock for the transaction that has just begun. Tries at least once, and until `deadlineMs`.
   *
   * @throws QueryFailedError if another process holds it until then
   */
  async take(deadlineMs: number): Promise<void> {
    const { databaseConnection } = this.dataSource.driver as unknown as { databaseConnection: Database };
    for (let waitMs = RETRY_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_RETRY_MS)) {
      try {
        databaseConnection.exec(TAKE_LOCK);
        return;
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        if (performance.now() >= deadlineMs || !isBusy(error))
          throw new QueryFailedError(TAKE_LOCK, [], error);
      }
      await delay(waitMs);
    }
  }
}

function isBusy(error: Error): boolean {
  return 'code' in error && String(error.code).startsWith('SQLITE_BUSY');
}
