import { Redis } from 'ioredis';
import libsql from 'libsql';
import { Client } from 'pg';

const TIMEOUT_MS = 30_000;
const HELD = `SELECT worker_id FROM snowflake_lease WHERE fencing_token <> ''`;

/** Reads the worker IDs that are leased right now where an app keeps its leases. */
export type HeldLeases = () => Promise<number[]>;

/** Reads them from the namespace `shop` of a Redis. */
export async function heldInRedis(url: string): Promise<number[]> {
  const client = new Redis(url, { commandTimeout: TIMEOUT_MS });
  try {
    const fields = Object.entries(await client.hgetall('snowflake:{shop}'));
    return fields.flatMap(([name, row]) => (/^\d+$/.test(name) && !/^\d+ $/.test(row) ? [Number(name)] : []));
  } finally {
    client.disconnect();
  }
}

/** Reads them from the tables of a PostgreSQL. */
export async function heldInPostgres(url: string): Promise<number[]> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
  });
  try {
    await client.connect();
    const { rows } = await client.query<{ worker_id: number }>(HELD);
    return rows.map(({ worker_id: workerId }) => workerId);
  } finally {
    await client.end();
  }
}

/** Reads them from the tables in a file of SQLite. */
export async function heldInSqlite(file: string): Promise<number[]> {
  // Without a timeout, it fails if the app has the file locked for a moment.
  const database = new libsql(file, { readonly: true, timeout: TIMEOUT_MS });
  try {
    return (database.prepare(HELD).all() as { worker_id: number }[]).map((row) => row.worker_id);
  } finally {
    database.close();
  }
}
