import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import libsql from 'libsql';
import { databaseFor } from '../../support/servers/index.js';
import { describeUserApp, LONG_TIMEOUTS } from './app-contract.js';
import { STEP_WITHIN_MS, type Consumer } from './consumer.js';
import { heldInSqlite } from './held-leases.js';
import { itKeepsTheTables } from './library-tables.js';
import type { Order } from './shared-orders.js';
import { itSharesADatabase, type SharedDatabase } from './three-processes.js';

/** What run.mjs prints. */
interface Printed {
  readonly unbound: string;
  readonly withoutLease: string;
  readonly made: { readonly rows: number; readonly ours: number };
  readonly exactReferences: boolean;
  readonly found: boolean;
  readonly joined: boolean;
  /** Whether the nested ID was exact, or the code of its refusal. */
  readonly nested: boolean | string;
  readonly rounded?: string;
  readonly raw: boolean;
  readonly returned?: boolean;
  readonly failed?: string;
}

const VERSIONS = ['drizzle-orm', 'drizzle-orm-rc'] as const;
const DIALECTS = ['pg', 'mysql', 'sqlite'] as const;
type Dialect = (typeof DIALECTS)[number];
const CASES = VERSIONS.flatMap((version) => DIALECTS.map((dialect) => [version, dialect] as const));

/** Relational queries of 1.0 need a database with LATERAL. MariaDB has none, and MySQL can't be installed here. */
const NO_LATERAL: unknown = expect.stringContaining('SQL syntax');

/** Before 1.0, the JSON that the database makes has rounded the ID when the column reads it. */
function nestedWith(version: string, dialect: string): unknown {
  if (version === 'drizzle-orm') return 'SNOWFLAKE_INVALID_ID';
  return dialect === 'mysql' ? NO_LATERAL : true;
}

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
    folder: 'drizzle',
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

    describeColumns(consumer);

    const push = (...args: string[]) => consumer().run(process.execPath, 'columns/push.mjs', ...args);
    itKeepsTheTables('drizzle-kit', ['postgres', 'mariadb'], push, async (database, url) => {
      // Otherwise, it asks whether a table of the library has been renamed.
      await push(database, url);
      await push(database, url, 'careless');
    });
  },
);

function describeColumns(consumer: () => Consumer): void {
  async function urlOf(dialect: Dialect, name: string): Promise<string> {
    if (dialect === 'sqlite') return `file:${join(consumer().folder, `${name}.db`)}`;
    return databaseFor(dialect === 'pg' ? 'postgres' : 'mariadb', name);
  }

  async function run(version: string, dialect: Dialect, ...careless: string[]): Promise<Printed> {
    const url = await urlOf(dialect, ['drizzle', version, ...careless].join(' '));
    const args = [version, dialect, url, ...careless];
    const { stdout } = await consumer().run(process.execPath, 'columns/run.mjs', ...args);
    return JSON.parse(stdout) as Printed;
  }

  describe('columns of Drizzle [promise: exact-keys]', () => {
    it.each(CASES)(
      'get IDs with %s on %s by every way that knows the default, and never a rounded one',
      async (version, dialect) => {
        expect(await run(version, dialect)).toEqual({
          unbound: 'SNOWFLAKE_UNBOUND_MAKER',
          withoutLease: 'SNOWFLAKE_NOT_READY',
          made: { rows: 502, ours: 502 },
          exactReferences: true,
          found: true,
          joined: true,
          nested: nestedWith(version, dialect),
          rounded: 'SNOWFLAKE_INVALID_ID',
          raw: true,
          ...(dialect === 'mysql' ? {} : { returned: true }),
        });
      },
      STEP_WITHIN_MS,
    );

    it.each(CASES)(
      'read rounded IDs with %s on %s if the type only makes text of what it gets (control)',
      async (version, dialect) => {
        const { nested, rounded } = await run(version, dialect, 'type');
        expect({ nested, rounded }).toEqual({
          nested: dialect === 'mysql' && version === 'drizzle-orm-rc' ? NO_LATERAL : false,
          rounded: undefined,
        });
      },
      STEP_WITHIN_MS,
    );

    it(
      'refuse what mysql2 rounds by default',
      async () => {
        expect((await run('drizzle-orm', 'mysql', 'driver')).failed).toBe('SNOWFLAKE_INVALID_ID');
      },
      STEP_WITHIN_MS,
    );

    it(
      'compile with both versions in all dialects',
      async () => {
        await expect(consumer().script('compile:columns')).resolves.not.toContain('error');
      },
      STEP_WITHIN_MS,
    );
  });
}
