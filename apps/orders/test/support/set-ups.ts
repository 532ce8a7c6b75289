import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { databaseFor, type RedisServer, startRedis } from '../../../../test/support/servers/index.js';

export type SetUpName = 'SQLite' | 'PostgreSQL + Redis' | 'MariaDB + Redis';
export const SET_UPS: SetUpName[] = ['SQLite', 'PostgreSQL + Redis', 'MariaDB + Redis'];

/** What a backend under test runs on. */
export interface SetUp {
  readonly env: Record<string, string>;
  readonly redis?: RedisServer;
  remove(): Promise<void>;
}

/** A fresh, empty database, and a Redis of its own where the set-up has one. */
export async function makeSetUp(name: SetUpName, test: string): Promise<SetUp> {
  if (name === 'SQLite') {
    const directory = mkdtempSync(join(tmpdir(), 'orders-'));
    return {
      env: { SQLITE_PATH: join(directory, 'made', 'on-demand', 'orders.sqlite') },
      remove: async () => rmSync(directory, { recursive: true }),
    };
  }
  const url = await databaseFor(name.startsWith('Maria') ? 'mariadb' : 'postgres', test);
  const redis = await startRedis();
  return {
    env: { DATABASE_URL: url, REDIS_URL: redis.url },
    redis,
    remove: () => redis.stop(),
  };
}
