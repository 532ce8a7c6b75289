import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { databaseFor, type RedisServer, startRedis } from '../../../../test/support/servers/index.js';

export type SetUpName = 'SQLite' | 'PostgreSQL + Redis' | 'MariaDB + Redis';
export const SET_UPS: SetUpName[] = ['SQLite', 'PostgreSQL + Redis', 'MariaDB + Redis'];

/** Database and environment of a backend under test. */
export interface SetUp {
  readonly env: Record<string, string>;
  readonly redis?: RedisServer;
  remove(): Promise<void>;
}

/** So long that a process that stalls while others wait for its lock fails none of them. */
const LONG_LOCK_TIMEOUT = { DATABASE_LOCK_TIMEOUT_MS: '60000' };

/** Creates a new, empty database, and a separate Redis if the set-up has one. */
export async function makeSetUp(name: SetUpName, test: string): Promise<SetUp> {
  if (name === 'SQLite') {
    const directory = mkdtempSync(join(tmpdir(), 'orders-'));
    return {
      env: { ...LONG_LOCK_TIMEOUT, SQLITE_PATH: join(directory, 'made', 'on-demand', 'orders.sqlite') },
      remove: async () => rmSync(directory, { recursive: true }),
    };
  }
  const url = await databaseFor(name.startsWith('Maria') ? 'mariadb' : 'postgres', test);
  const redis = await startRedis();
  return {
    env: { ...LONG_LOCK_TIMEOUT, DATABASE_URL: url, REDIS_URL: redis.url },
    redis,
    remove: () => redis.stop(),
  };
}
