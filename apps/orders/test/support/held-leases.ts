import { Redis } from 'ioredis';
import libsql from 'libsql';
import { waitFor } from '../../../../test/support/wait.js';
import type { SetUp } from './set-ups.js';

const CALL_TIMEOUT_MS = 30_000;
const RELEASED_WITHIN_MS = 60_000;

/** Returns the leases that processes hold, by worker ID, from the registry of a set-up. */
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

/** Waits until no process holds a lease, because a process does not wait long for the reply to its last call. */
export async function untilNoLeaseIsHeld(setUp: SetUp): Promise<void> {
  await waitFor('the leases to be released', RELEASED_WITHIN_MS, async () => {
    return (await heldLeases(setUp)).length === 0;
  });
}

function heldInSqlite(path: string): number[] {
  // Without a timeout, it fails if the backend or its end has the file locked for a moment.
  const database = new libsql(path, { readonly: true, timeout: CALL_TIMEOUT_MS });
  try {
    const rows = database.prepare(`SELECT worker_id FROM snowflake_lease WHERE fencing_token <> ''`).all();
    return (rows as { worker_id: number }[]).map((row) => row.worker_id);
  } finally {
    database.close();
  }
}
