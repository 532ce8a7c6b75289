import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AppEnvironment } from './app-contract.js';
import { heldInSqlite } from './held-leases.js';

/** Gives an app a file for its SQLite, in which it keeps its leases as well. */
export async function sqliteFile(): Promise<AppEnvironment> {
  const folder = mkdtempSync(join(tmpdir(), 'snowflake-shop-'));
  const file = join(folder, 'shop.sqlite');
  return {
    env: { DATABASE_FILE: file },
    held: () => heldInSqlite(file),
    stop: async () => rmSync(folder, { recursive: true, force: true }),
  };
}
