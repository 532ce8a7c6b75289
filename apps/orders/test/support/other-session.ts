import { setTimeout as delay } from 'node:timers/promises';
import { createConnection } from 'mysql2/promise';
import { Client } from 'pg';
import { waitFor } from '../../../../test/support/wait.js';

const TIMEOUT_MS = 60_000;
/** InnoDB refreshes this information at most every 100 ms. */
const LOOK_EVERY_MS = 150;

/** A separate session on a backend's database, holding locks that the backend waits for. */
export class OtherSession {
  private constructor(
    readonly run: (sql: string) => Promise<unknown[]>,
    readonly end: () => Promise<void>,
    /** Locks the table of products against reads and writes. */
    readonly lockTable: string,
    readonly unlockTable: string,
    private readonly waiting: string,
  ) {}

  static open(url: string): Promise<OtherSession> {
    return url.startsWith('postgres') ? OtherSession.onPostgres(url) : OtherSession.onMariaDb(url);
  }

  /** Waits until another session waits for a lock. */
  async untilSomebodyWaits(): Promise<void> {
    await waitFor('a statement that waits for a lock', TIMEOUT_MS, async () => {
      await delay(LOOK_EVERY_MS);
      return (await this.run(this.waiting)).length > 0;
    });
  }

  private static async onPostgres(url: string): Promise<OtherSession> {
    const database = new Client({ connectionString: url });
    await database.connect();
    return new OtherSession(
      async (sql) => (await database.query(sql)).rows,
      () => database.end(),
      'BEGIN; LOCK TABLE products',
      'ROLLBACK',
      `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
  }

  private static async onMariaDb(url: string): Promise<OtherSession> {
    const database = await createConnection(url);
    return new OtherSession(
      async (sql) => (await database.query(sql))[0] as unknown[],
      () => database.end(),
      'LOCK TABLES products WRITE',
      'UNLOCK TABLES',
      `SELECT 1 FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT' UNION ALL ` +
        `SELECT 1 FROM information_schema.processlist WHERE db = DATABASE() AND state LIKE 'Waiting for table%'`,
    );
  }
}
