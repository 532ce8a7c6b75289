import { Segments, sqlSegmentStore } from 'nestjs-snowflake-segments';
import { makeDatabase, type TestDatabase } from './support/databases.js';
import { firstRequest, granted } from '../redis-store/requests.js';
import { Stores } from './support/stores.js';

/*
 * The servers of all tests are fast instead of durable: PostgreSQL has fsync = off, full_page_writes = off and
 * synchronous_commit = off, MariaDB innodb_flush_log_at_trx_commit = 0.
 */

const stores = new Stores();
let database: TestDatabase;
let segments: Segments | undefined;

afterEach(async () => {
  await segments?.stop();
  segments = undefined;
  await stores.close();
  await database?.remove();
});

const refusalOf = (settings: string) => ({
  code: 'SNOWFLAKE_STORE_REJECTED',
  retryable: false,
  message: expect.stringMatching(new RegExp(`assumeNoLostWrites.*${settings}`)),
});

/** Other specs have tables in the same server. */
const OWN_SCHEMA = { PostgreSQL: 'current_schema()', MariaDB: 'DATABASE()' } as const;

async function tablesIn({ admin }: TestDatabase, kind: keyof typeof OWN_SCHEMA): Promise<number> {
  const [row] = await admin.query<{ found: number | string }[]>(
    `SELECT COUNT(*) AS found FROM information_schema.tables WHERE table_schema = ${OWN_SCHEMA[kind]}` +
      " AND table_name LIKE 'snowflake%'",
  );
  return Number(row?.found);
}

describe.each([
  ['PostgreSQL', 'fsync is off and full_page_writes is off.*Set fsync = on and full_page_writes = on'],
  ['MariaDB', 'innodb_flush_log_at_trx_commit is 0.*Set innodb_flush_log_at_trx_commit = 1'],
] as const)('a server of %s whose settings lose commits in a crash', (kind, settings) => {
  beforeEach(async () => {
    database = await makeDatabase(kind, 'sql-lossy');
  });

  const given = () => ({ dataSource: database.options, createTable: true });

  it('refutes the assertion of a lease store that it loses no write, before anything is written', async () => {
    const store = stores.open({ ...given(), namespace: 'shop', assumeNoLostWrites: true });
    await expect(store.lease(firstRequest('first'))).rejects.toMatchObject(refusalOf(settings));
    await expect(store.inspect()).rejects.toMatchObject(refusalOf(settings));
    expect(await tablesIn(database, kind)).toBe(0);
  });

  it('refutes the assertion of a segment store that it loses no write, before anything is written', async () => {
    const store = sqlSegmentStore({ ...given(), assumeNoLostWrites: true });
    segments = new Segments({ store, tags: ['order'], readyTimeoutMs: 60_000 });
    await expect(segments.start()).rejects.toMatchObject(refusalOf(settings));
    expect(await tablesIn(database, kind)).toBe(0);
  });

  it('serves a store without the assertion', async () => {
    const store = stores.open({ ...given(), namespace: 'shop' });
    expect(await granted(store.lease(firstRequest('first')))).toMatchObject({ workerId: 0 });
  });
});

it.each([
  'CREATE FUNCTION aurora_version() RETURNS text',
  "ALTER DATABASE CURRENT SET neon.timeline_id = 'a'",
])(
  'accepts the assertion on a PostgreSQL with a storage service, whatever its settings of local files: %s',
  async (statement) => {
    database = await makeDatabase('PostgreSQL', 'sql-storage');
    const [{ name }] = await database.admin.query('SELECT current_database() AS name');
    const text = statement.replace('CURRENT', name);
    await database.admin.query(text.startsWith('CREATE') ? `${text} LANGUAGE sql AS $$SELECT '1'$$` : text);
    const store = stores.open({
      dataSource: database.options,
      namespace: 'shop',
      createTable: true,
      assumeNoLostWrites: true,
    });
    expect(await granted(store.lease(firstRequest('first')))).toMatchObject({ workerId: 0 });
  },
);

describe('tables of PostgreSQL that do not last', () => {
  beforeEach(async () => {
    database = await makeDatabase('PostgreSQL', 'sql-unlogged');
    // Hides the settings of the servers of all tests, which would be refused before.
    const [{ name }] = await database.admin.query('SELECT current_database() AS name');
    await database.admin.query(`ALTER DATABASE ${name} SET neon.timeline_id = 'a'`);
  });

  const given = () => ({ dataSource: database.options, createTable: true });
  const leases = (assumeNoLostWrites: boolean) =>
    stores.open({ ...given(), namespace: 'shop', assumeNoLostWrites }).inspect();
  const numbers = async (assumeNoLostWrites: boolean) => {
    const store = sqlSegmentStore({ ...given(), assumeNoLostWrites });
    segments = new Segments({ store });
    return segments.inspect().finally(() => segments?.stop());
  };

  it.each([
    ['snowflake_lease', leases],
    ['snowflake_lease_namespace', leases],
    ['snowflake_segment', numbers],
    ['snowflake_segment_state', numbers],
    ['snowflake_segment_claim', numbers],
  ])(
    'refute the assertion that no write is lost while a crash empties one of them: %s',
    async (table, read) => {
      await read(false);
      await database.admin.query(`ALTER TABLE ${table} SET UNLOGGED`);
      await expect(read(true)).rejects.toMatchObject({
        code: 'SNOWFLAKE_STORE_REJECTED',
        message: expect.stringMatching(new RegExp(`${table}.*assumeNoLostWrites.*SET LOGGED`)),
      });
      // Without the assertion, a store notices that its tables are empty.
      await read(false);
      await database.admin.query(`ALTER TABLE ${table} SET LOGGED`);
      await read(true);
    },
  );

  it('are refused if they are temporary, because each process has its own', async () => {
    const [{ name }] = await database.admin.query('SELECT current_database() AS name');
    await database.admin.query(`ALTER DATABASE ${name} SET search_path = pg_temp`);
    const temporary = { code: 'SNOWFLAKE_STORE_REJECTED', message: expect.stringMatching(/is temporary/) };
    await expect(leases(false)).rejects.toMatchObject(temporary);
    await expect(numbers(false)).rejects.toMatchObject(temporary);
  });
});
