import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import libsql from 'libsql';
import { describeUserApp, LONG_TIMEOUTS } from './app-contract.js';
import { heldInSqlite } from './held-leases.js';
import type { Order } from './shared-orders.js';
import { itSharesADatabase, type SharedDatabase } from './three-processes.js';

/** Gives an app a file for its orders, and one for its leases. */
async function sqliteFiles(): Promise<SharedDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'snowflake-shop-'));
  const orders = join(folder, 'shop.sqlite');
  const leases = join(folder, 'leases.sqlite');
  return {
    env: { DATABASE_FILE: orders, LEASE_FILE: leases },
    held: () => heldInSqlite(leases),
    stored: async () => ordersIn(orders),
    stop: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

function ordersIn(file: string): Order[] {
  const database = new libsql(file);
  try {
    const sql = 'SELECT CAST(id AS text) AS id, CAST(customer_id AS text) AS customerId FROM orders';
    return database.prepare(sql).all() as Order[];
  } finally {
    database.close();
  }
}

describeUserApp(
  'a Nest 12 app on Drizzle and SQLite, with IDs leased in another file, and without TypeORM',
  {
    folder: 'nest-12-drizzle',
    install: 'nestjs-snowflake drizzle-orm@0.45.4 @libsql/client@0.17.0',
    passes: { test: '2 passed (2)', 'test:e2e': '1 passed (1)' },
    testArguments: LONG_TIMEOUTS.vitest,
    end: { code: 0, signal: null },
    prepare: sqliteFiles,
  },
  (consumer) => {
    it('needs no TypeORM', () => {
      expect(existsSync(join(consumer().folder, 'node_modules/drizzle-orm'))).toBe(true);
      expect(existsSync(join(consumer().folder, 'node_modules/typeorm'))).toBe(false);
    });

    itSharesADatabase(consumer, sqliteFiles);
  },
);
