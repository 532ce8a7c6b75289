import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { LEASE_TABLES } from '../../../libs/snowflake/src/stores/sql/lease-tables.js';
import { databaseFor } from '../../support/servers/index.js';
import { describeUserApp, LONG_TIMEOUTS } from './app-contract.js';
import { STEP_WITHIN_MS } from './consumer.js';
import { heldInPostgres } from './held-leases.js';
import { describeKeys, PRISMA_ENV } from './prisma-keys.js';
import type { Order } from './shared-orders.js';
import { itSharesADatabase, type SharedDatabase } from './three-processes.js';

/** Prisma must not see the tables of the leases. */
const LEASE_SCHEMA = 'snowflake';
const MIGRATION = fileURLToPath(
  new URL('prisma/prisma/migrations/20260101000000_init/migration.sql', import.meta.url),
);

/** Gives an app a database with the tables of its orders and of its leases, as a deployment creates them. */
async function migratedDatabase(test: string): Promise<SharedDatabase> {
  const url = await databaseFor('postgres', ['prisma', test].join(' '));
  const { create } = LEASE_TABLES.in({ type: 'postgres', schema: LEASE_SCHEMA }).tables;
  await queried(url, [readFileSync(MIGRATION, 'utf8'), `CREATE SCHEMA ${LEASE_SCHEMA}`, ...create].join(';'));
  return {
    env: { ...PRISMA_ENV, DATABASE_URL: url },
    held: () => heldInPostgres(withSearchPath(url, LEASE_SCHEMA)),
    stored: () => ordersIn(url),
  };
}

/** Reads the orders that have a line: one without it was not inserted as a whole. */
function ordersIn(url: string): Promise<Order[]> {
  return queried<Order>(
    url,
    `SELECT orders.id::text, customer_id::text AS "customerId" FROM orders JOIN lines ON order_id = orders.id`,
  );
}

async function queried<Row extends object>(url: string, sql: string): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  try {
    await client.connect();
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

function withSearchPath(url: string, schema: string): string {
  const changed = new URL(url);
  changed.searchParams.set('options', `-c search_path=${schema}`);
  return changed.href;
}

describeUserApp(
  'a Nest 12 app on Prisma 7 and PostgreSQL, with IDs leased in the same database, and without TypeORM',
  {
    folder: 'prisma',
    install: 'nestjs-snowflake pg @prisma/client@7.10.0 @prisma/adapter-pg@7.10.0',
    passes: { test: '2 passed (2)', 'test:e2e': '1 passed (1)' },
    testArguments: LONG_TIMEOUTS.vitest,
    end: { code: 0, signal: null },
    prepare: () => migratedDatabase('contract'),
  },
  (consumer) => {
    it('needs no TypeORM', () => {
      expect(existsSync(join(consumer().folder, 'node_modules/@prisma/client'))).toBe(true);
      expect(existsSync(join(consumer().folder, 'node_modules/typeorm'))).toBe(false);
    });

    itSharesADatabase(consumer, migratedDatabase);

    it(
      'does not start if a key has a default in the database',
      async () => {
        const { env } = await migratedDatabase('default');
        await queried(env['DATABASE_URL']!, 'ALTER TABLE lines ALTER id SET DEFAULT 0');
        await expect(consumer().start('dist/main.js', env)).rejects.toThrow('SNOWFLAKE_INVALID_OPTION');
      },
      STEP_WITHIN_MS,
    );

    describe('Prisma 6 and 7', () => describeKeys(consumer));
  },
);
