import { setTimeout as delay } from 'node:timers/promises';
import { DataSource, type DataSourceOptions } from 'typeorm';

/** What a migration that never waits long for a lock meets under traffic, by driver. */
const LOCK_TIMEOUTS: ReadonlySet<unknown> = new Set(['55P03', 'ER_LOCK_WAIT_TIMEOUT']);
export const isLockTimeout = (error: unknown): boolean =>
  LOCK_TIMEOUTS.has(Reflect.get(Object(error), 'code'));

/** Between two attempts. */
export const PAUSE_MS = 5;

/**
 * Runs statements as a client does that stops at the first error, in a session of their own, and again from the start
 * after a lock timeout.
 */
export async function runAsClient(options: DataSourceOptions, statements: readonly string[]): Promise<void> {
  for (;;) {
    const client = await new DataSource({
      ...options,
      entities: [],
      poolSize: 1,
    } as DataSourceOptions).initialize();
    try {
      for (const statement of statements) if (!statement.startsWith('--')) await client.query(statement);
      return;
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      await delay(PAUSE_MS);
    } finally {
      await client.destroy();
    }
  }
}
