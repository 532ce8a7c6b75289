import { dialectOf } from '../../../libs/snowflake/src/stores/sql/dialects.js';
import { leaseTables } from '../../../libs/snowflake/src/stores/sql/lease-tables.js';
import { SqlRegistry } from '../../../libs/snowflake/src/stores/sql/sql-registry.js';
import type { Statements } from '../../../libs/snowflake/src/stores/sql/statements.js';
import { SqlSession } from '../../../libs/snowflake/src/stores/sql/sql-session.js';
import { startPgpool } from '../../support/servers/index.js';
import { firstRequest, granted } from '../redis-store/requests.js';
import { makeDatabase } from './support/databases.js';
import { ReplicatedDatabase } from './support/replicated-database.js';
import { Stores } from './support/stores.js';

const TEST_WITHIN_MS = 120_000;
const stores = new Stores();
const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  await stores.close();
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
}, TEST_WITHIN_MS);

describe('leases through a pgpool that sends reads to a replica', () => {
  it(
    'are those of the primary, while plain reads are the replica’s',
    async () => {
      const pair = await ReplicatedDatabase.start('PostgreSQL');
      cleanups.push(() => pair.stop());
      const own = stores.open({
        dataSource: pair.options(pair.primary),
        namespace: 'shop',
        createTable: true,
      });
      await granted(own.lease(firstRequest('own')));
      await pair.untilReplicated('SELECT count(*) AS leases FROM snowflake_lease');
      await pair.cutOff();
      const missed = await granted(own.lease(firstRequest('missed by the replica')));
      const pgpool = await startPgpool(pair.primary, pair.replica);
      cleanups.push(() => pgpool.stop());

      const plain = await pair.query(pgpool, 'SELECT worker_id FROM snowflake_lease');
      expect(plain).not.toContainEqual({ worker_id: missed.workerId });
      const balanced = stores.open({ dataSource: pair.options(pgpool), namespace: 'shop' });
      const grant = await granted(balanced.lease(firstRequest('balanced')));
      expect(grant.workerId).toBe(missed.workerId + 1);
      expect((await own.inspect()).rows).toContainEqual(
        expect.objectContaining({ workerId: grant.workerId, fencingToken: grant.fencingToken }),
      );
    },
    TEST_WITHIN_MS,
  );
});

describe.each(['PostgreSQL', 'MariaDB'] as const)('a balancer that splits a transaction on %s', (kind) => {
  async function splitRegistry(): Promise<SqlRegistry> {
    const database = await makeDatabase(kind, 'sql-balanced');
    cleanups.push(() => database.remove());
    await granted(
      stores
        .open({ dataSource: database.options, namespace: 'shop', createTable: true })
        .lease(firstRequest('first')),
    );
    const dialect = dialectOf(database.options);
    const settings = { dialect, options: database.options, connectionName: 'split', callTimeoutMs: 10_000 };
    const [writer, reader] = [new SqlSession(settings), new SqlSession(settings)];
    for (const session of [writer, reader]) {
      cleanups.push(() => session.close());
      await session.connect();
      await session.begin();
    }
    const split: Statements = {
      query: (sql, parameters) => (sql.endsWith('FOR UPDATE') ? writer : reader).query(sql, parameters),
      write: (sql, parameters) => writer.write(sql, parameters),
    };
    const tables = leaseTables('snowflake_lease', database.options, dialect);
    return new SqlRegistry(split, { tables, dialect, namespace: 'shop' });
  }

  it('is refused, since the clock and the history would be those of another server', async () => {
    const registry = await splitRegistry();
    await registry.header();
    await expect(registry.server()).rejects.toMatchObject({
      code: 'SNOWFLAKE_STORE_REJECTED',
      message: expect.stringContaining('Lease from the primary directly'),
    });
  });
});
