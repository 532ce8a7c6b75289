import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from 'libsql';
import { type DataSource, QueryFailedError } from 'typeorm';

/** Changes no row, and needs the lock to find that out. */
const TAKE_LOCK = 'UPDATE products SET id = id WHERE false';
const RETRY_MS = 5;
const LONGEST_RETRY_MS = 100;

/**
 * The lock that a process needs to write to a file of SQLite.
 *
 * TypeORM begins transactions that take it with their first write. That write is too late: a prepared statement of
 * libsql that fails for the lock stays open, and no later transaction of the connection can commit. `exec()` leaves
 * nothing open.
 */
export class SqliteWriteLock {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Takes the lock for the transaction that has just begun. Tries until \`deadlineMs\`, and once at least.
   *
   * @throws QueryFailedError when another process keeps it
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
