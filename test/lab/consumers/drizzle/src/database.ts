import { createClient } from '@libsql/client';
import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/libsql';

/** Opens a file that several processes share, and creates what is missing in it. */
export async function openDatabase(file: string) {
  const db = drizzle(createClient({ url: `file:${file}`, intMode: 'bigint' }));
  // SQLite has one writer at a time. The others wait for it, and readers don't.
  await db.run(sql`PRAGMA busy_timeout = 10000`);
  await db.run(sql`PRAGMA journal_mode = WAL`);
  await db.run(sql`
    CREATE TABLE IF NOT EXISTS orders (
      id bigint NOT NULL PRIMARY KEY,
      customer_id bigint NOT NULL
    )`);
  return db;
}

export type Database = Awaited<ReturnType<typeof openDatabase>>;
