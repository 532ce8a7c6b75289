import { postgres } from '../../../libs/snowflake/src/kit/sql/dialects/postgres.js';
import { waitFor } from '../../support/wait.js';
import { claimOf, firstRequest, granted, renewed } from '../redis-store/requests.js';
import { makeDatabase, type TestDatabase } from './support/databases.js';
import { Stores } from './support/stores.js';

const TIMEOUT_MS = 20_000;
const stores = new Stores();
let database: TestDatabase;

beforeAll(async () => {
  database = await makeDatabase('PostgreSQL', 'sql-transactions');
});
afterAll(async () => {
  await stores.close();
  await database?.remove();
});

/** How many connections to the database there are besides that of the test. */
async function connections(): Promise<number> {
  const rows: unknown[] = await database.admin.query(
    'SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  );
  return rows.length;
}

/** From now on each write of a row notes the settings of its transaction. */
async function noteSettings(): Promise<void> {
  await database.admin.query('CREATE TABLE seen (who text, durability text, isolation text)');
  await database.admin.query(`
    CREATE FUNCTION note_settings() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO seen VALUES (
        NEW.fencing_token, current_setting('synchronous_commit'), current_setting('transaction_isolation'));
      RETURN NEW;
    END $$`);
  await database.admin.query(
    'CREATE TRIGGER noted AFTER INSERT OR UPDATE ON snowflake_lease FOR EACH ROW EXECUTE FUNCTION note_settings()',
  );
}

describe('a PostgreSQL server that does not wait for its disk, and isolates strictly', () => {
  it('waits for the disk and reads what is committed in each transaction of the store, and in no other', async () => {
    const [{ name }] = await database.admin.query('SELECT current_database() AS name');
    await database.admin.query(`ALTER DATABASE ${name} SET synchronous_commit = 'off'`);
    await database.admin.query(`ALTER DATABASE ${name} SET default_transaction_isolation = 'serializable'`);
    const store = stores.open({ dataSource: database.options, namespace: 'shop', createTable: true });
    await granted(store.lease(firstRequest('before')));
    await noteSettings();
    const grant = await granted(store.lease(firstRequest('holder')));
    const renewal = store.lease(firstRequest('later', claimOf(grant)));
    const { workerId, fencingToken, untilMs } = await renewed(grant, renewal);
    await store.release({ workerId, fencingToken, lastUsedMs: untilMs });
    // One that was closed is listed until its process has ended.
    await waitFor('one connection', TIMEOUT_MS, async () => (await connections()) === 1);
    const seen = (await database.admin.query('SELECT durability, isolation FROM seen')) as object[];
    expect(seen).toHaveLength(3);
    expect(new Set(seen.map((settings) => JSON.stringify(settings)))).toEqual(
      new Set([JSON.stringify({ durability: 'on', isolation: 'read committed' })]),
    );
    // Control: a write of somebody else, on a connection that was made since.
    await database.admin.query('SET synchronous_commit = off');
    await database.admin.query(`UPDATE snowflake_lease SET fencing_token = 'own' WHERE worker_id = 0`);
    const [own] = await database.admin.query(`SELECT durability FROM seen WHERE who = 'own'`);
    expect(own).toEqual({ durability: 'off' });
  });
});

describe('a statement that must sort, in a transaction of the store', () => {
  const SORTS =
    "EXPLAIN (ANALYZE, FORMAT JSON) SELECT name FROM pg_settings WHERE setting <> '' ORDER BY name";

  /** Runs the statement after those that begin a transaction. Returns its plan. */
  async function planAfter(beginning: readonly string[]): Promise<string> {
    const runner = database.admin.createQueryRunner();
    try {
      for (const statement of beginning) await runner.query(statement);
      return JSON.stringify(await runner.query(SORTS));
    } finally {
      await runner.query('ROLLBACK');
      await runner.release();
    }
  }

  it('is not compiled: that would take longer than all else, while others wait for the lock', async () => {
    expect(await planAfter(postgres.begin(1000))).not.toContain('"JIT"');
  });

  it('is compiled without that setting (control)', async () => {
    expect(await planAfter(['BEGIN', 'SET LOCAL enable_sort = off'])).toContain('"JIT"');
  });
});
