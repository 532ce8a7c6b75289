import { LEASE_TABLES } from '../../../libs/snowflake/src/stores/sql/lease-tables.js';
import { SqlRegistry } from '../../../libs/snowflake/src/stores/sql/sql-registry.js';
import type { Statements } from '../../../libs/snowflake/src/kit/sql/statements.js';
import { SqlSession } from '../../../libs/snowflake/src/kit/sql/session.js';
import { firstRequest, granted } from '../redis-store/requests.js';
import { makeDatabase } from './support/databases.js';
import { Stores } from './support/stores.js';
import { cleanUpAfterEach } from '../../support/clean-up.js';

const stores = new Stores();

// Stores close before their servers stop.
afterEach(() => stores.close());
const cleanUp = cleanUpAfterEach();

describe.each(['PostgreSQL', 'MariaDB'] as const)('a balancer that splits a transaction on %s', (kind) => {
  async function splitRegistry(): Promise<SqlRegistry> {
    const database = await makeDatabase(kind, 'sql-balanced');
    cleanUp(() => database.remove());
    await granted(
      stores
        .open({ dataSource: database.options, namespace: 'shop', createTable: true })
        .lease(firstRequest('first')),
    );
    const { dialect, tables } = LEASE_TABLES.in(database.options);
    const settings = { dialect, options: database.options, connectionName: 'split', callTimeoutMs: 10_000 };
    const [writer, reader] = [new SqlSession(settings), new SqlSession(settings)];
    for (const session of [writer, reader]) {
      cleanUp(() => session.close());
      await session.connect();
      session.begin();
    }
    const query: Statements['query'] = (sql, parameters) =>
      (sql.endsWith('FOR UPDATE') ? writer : reader).query(sql, parameters);
    const split: Statements = {
      query,
      write: (sql, parameters) => writer.write(sql, parameters),
      async batch(statements) {
        const results = [];
        for (const { sql, parameters } of statements)
          results.push({ rows: await query(sql, parameters), affected: 0 });
        return results;
      },
    };
    return new SqlRegistry(split, { tables, dialect, namespace: 'shop' });
  }

  it('refuses a balancer that splits a transaction, since clock and history are those of another server', async () => {
    const registry = await splitRegistry();
    await registry.header();
    await expect(registry.server()).rejects.toMatchObject({
      code: 'SNOWFLAKE_STORE_REJECTED',
      message: expect.stringContaining('Connect to the primary directly'),
    });
  });
});
