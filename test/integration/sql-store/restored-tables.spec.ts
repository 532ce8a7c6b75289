import type { SnowflakeIdMaker } from 'nestjs-snowflake';
import { sqlLeaseStore } from 'nestjs-snowflake/sql';
import { MakerPool } from '../../lease/support/maker-pool.js';
import { Traffic } from '../../lease/support/traffic.js';
import { waitFor } from '../../support/wait.js';
import { type Kind, KINDS, makeDatabase, type TestDatabase } from './support/databases.js';

const TIMEOUT_MS = 20_000;
/** The holder renews so seldom that the newcomer comes first. One worker ID: whoever is granted it, has that of the holder. */
const LEASE = { windowMs: 600_000, workerCount: 1 } as const;

/** The statement that empties a table without its transaction. */
const TRUNCATE: Readonly<Record<Kind, string>> = {
  SQLite: 'DELETE FROM snowflake_lease',
  PostgreSQL: 'TRUNCATE snowflake_lease',
  MariaDB: 'TRUNCATE TABLE snowflake_lease',
};

interface Loss {
  readonly reason: 'empty' | 'history';
  readonly statements: (kind: Kind) => readonly string[];
}

const putBackRows = ['DELETE FROM snowflake_lease', 'INSERT INTO snowflake_lease SELECT * FROM older_lease'];

/** What an operator does to the tables while the holder lives, and why a newcomer waits then. */
const LOSSES: Readonly<Record<string, Loss>> = {
  'both tables are gone, as after a dump from before them': {
    reason: 'empty',
    statements: () => ['DROP TABLE snowflake_lease', 'DROP TABLE snowflake_lease_namespace'],
  },
  'the row of the namespace is deleted with all rows': {
    reason: 'empty',
    statements: () => ['DELETE FROM snowflake_lease', 'DELETE FROM snowflake_lease_namespace'],
  },
  'the table of worker IDs is replaced by an older one': {
    reason: 'history',
    statements: () => ['DROP TABLE snowflake_lease', 'ALTER TABLE older_lease RENAME TO snowflake_lease'],
  },
  'older rows are put into the table of worker IDs': { reason: 'history', statements: () => putBackRows },
  'the table of worker IDs is truncated': { reason: 'history', statements: (kind) => [TRUNCATE[kind]] },
  'the table of worker IDs is gone': {
    reason: 'history',
    statements: () => ['DROP TABLE snowflake_lease'],
  },
};

describe.each(KINDS)('%s, while a holder lives [promise: after-loss]', (kind) => {
  const pool = new MakerPool();
  let database: TestDatabase;
  let traffic: Traffic;

  beforeEach(async () => {
    database = await makeDatabase(kind, 'sql-restored');
    traffic = new Traffic();
  });
  afterEach(async () => {
    await traffic.end();
    await pool.stopAll();
    await database?.remove();
  });

  function maker(possibleLoss: 'wait' | 'ignore'): SnowflakeIdMaker {
    const store = sqlLeaseStore({ dataSource: database.options, namespace: 'shop', createTable: true });
    return pool.make({
      store,
      lease: { ...LEASE, acquireTimeoutMs: possibleLoss === 'wait' ? 700_000 : 20_000, possibleLoss },
    });
  }

  async function run(...statements: readonly string[]): Promise<void> {
    for (const statement of statements) await database.admin.query(statement);
  }

  /**
   * Resolves when somebody has had the worker ID and has given it back. A stop gives it back within half a second or not at
   * all, and a busy machine can miss that: then all begins anew.
   */
  async function untilGivenBack(): Promise<void> {
    await waitFor('a worker ID that was released', TIMEOUT_MS, async () => {
      await run('DROP TABLE IF EXISTS snowflake_lease', 'DROP TABLE IF EXISTS snowflake_lease_namespace');
      const earlier = maker('ignore');
      let isReleased = false;
      earlier.subscribe(({ type }) => (isReleased ||= type === 'released'));
      await earlier.start();
      await earlier.stop();
      return isReleased;
    });
  }

  /** Somebody had the worker ID once. Of that time there is a copy. Then the holder got it. */
  async function setScene(): Promise<void> {
    await untilGivenBack();
    await run('CREATE TABLE older_lease AS SELECT * FROM snowflake_lease');
    await traffic.join(maker('ignore'));
  }

  async function reasonOfWait(newcomer: SnowflakeIdMaker): Promise<string> {
    let reason: string | undefined;
    let grant: string | undefined;
    newcomer.subscribe((event) => {
      if (event.type === 'waiting') ({ reason } = event);
      if (event.type === 'acquired') grant = `worker ID ${event.workerId} was acquired`;
    });
    newcomer.start().catch(() => undefined);
    return waitFor('the newcomer to wait', TIMEOUT_MS, () => grant ?? reason);
  }

  for (const [name, { reason, statements }] of Object.entries(LOSSES)) {
    it(`makes a newcomer wait if ${name}`, async () => {
      await setScene();
      await run(...statements(kind));
      expect(await reasonOfWait(maker('wait'))).toBe(reason);
    });

    it(`repeats IDs if ${name} and the newcomer ignores the loss (control)`, async () => {
      await setScene();
      await run(...statements(kind));
      await traffic.join(maker('ignore'));
      await expect(traffic.untilDuplicate()).resolves.toBe(true);
    });
  }
});
