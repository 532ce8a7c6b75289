import { Redis } from 'ioredis';
import libsql from 'libsql';
import type { SetUp } from './set-ups.js';

const CALL_TIMEOUT_MS = 10_000;

/** The leases that processes hold right now, by worker ID, as the registry of a set-up has them. */
export async function heldLeases({ env, redis }: SetUp): Promise<number[]> {
  if (!redis) return heldInSqlite(env['SQLITE_PATH'] ?? '');
  const client = new Redis(redis.url, { commandTimeout: CALL_TIMEOUT_MS });
  try {
    const fields = Object.entries(await client.hgetall('snowflake:{orders}'));
    return fields.flatMap(([name, row]) => (/^\d+$/.test(name) && !/^\d+ $/.test(row) ? [Number(name)] : []));
  } finally {
    client.disconnect();
  }
}

function heldInSqlite(path: string): number[] {
  const database = new libsql(path, { readonly: true });
  try {
    const rows = database.prepare(`SELECT worker_id FROM snowflake_lease WHERE fencing_token <> ''`).all();
    return (rows as { worker_id: number }[]).map((row) => row.worker_id);
  } finally {
    database.close();
  }
}
