import { DataSource, type DataSourceOptions } from 'typeorm';
import { startDatabaseServer } from '../../../integration/sql-store/support/database-servers.js';
import {
  REPLICATED_KINDS,
  type ReplicatedKind,
} from '../../../integration/sql-store/support/replicated-database.js';
import { cleanUpAfterEach } from '../../../support/clean-up.js';
import { TcpProxy } from '../../../support/proxies/tcp-proxy.js';
import { freePort } from '../../../support/servers/index.js';
import { Traffic } from './support/traffic.js';

const BOUND_MS = 300_000;
const MINUTE = 60;
const OUTAGE_MINUTES = 10;

const cleanUp = cleanUpAfterEach();

describe.each(REPLICATED_KINDS)('100,000 numbers a second on %s [promise: segments]', (kind) => {
  it(
    'take less than one statement per second, and outlast an unnoticed outage of ten minutes',
    async () => {
      const database = await startDatabase(kind);
      const traffic = new Traffic(database.options, OUTAGE_MINUTES);
      await traffic.begin();
      await traffic.run(2 * MINUTE);

      const before = await database.statements();
      await traffic.run(10 * MINUTE);
      const statements = (await database.statements()) - before;
      expect(statements).toBeGreaterThan(0);
      expect(statements).toBeLessThan(10 * MINUTE);

      await database.cutOff();
      await traffic.run(OUTAGE_MINUTES * MINUTE);
      expect(traffic.source.status().lastError).toMatchObject({ retryable: true });
      database.reconnect();
      await traffic.run(MINUTE);
      expect(traffic.source.status().lastError).toBeUndefined();
      expect([traffic.starved, traffic.repeated]).toEqual([0, 0]);
      await traffic.end();
    },
    BOUND_MS,
  );

  it(
    'run out in the same outage if fewer minutes of numbers are available (control)',
    async () => {
      const database = await startDatabase(kind);
      const traffic = new Traffic(database.options, OUTAGE_MINUTES / 2);
      await traffic.begin();
      await traffic.run(2 * MINUTE);
      await database.cutOff();
      await traffic.run(OUTAGE_MINUTES * MINUTE);
      expect(traffic.starved).toBeGreaterThan(0);
      await traffic.end();
    },
    BOUND_MS,
  );
});

/** A database behind a proxy, which counts the statements that it executes. */
async function startDatabase(kind: ReplicatedKind) {
  const settings = { shared_preload_libraries: 'pg_stat_statements' };
  const isPostgres = kind === 'PostgreSQL';
  const [server, options] = await startDatabaseServer(cleanUp, kind, isPostgres ? settings : {});
  const admin = await new DataSource(options).initialize();
  cleanUp(() => admin.destroy());
  if (isPostgres) await admin.query('CREATE EXTENSION pg_stat_statements');
  const proxy = await TcpProxy.start(server.port);
  cleanUp(() => proxy.close());
  const url = Object.assign(new URL(server.url), { port: String(proxy.port) }).href;
  const counted = isPostgres
    ? 'SELECT sum(calls) AS count FROM pg_stat_statements'
    : "SELECT variable_value AS count FROM information_schema.global_status WHERE variable_name = 'QUESTIONS'";
  return {
    options: { ...options, url } as DataSourceOptions,
    /** Statements so far, with a few of this admin. */
    statements: async () => Number((await admin.query<{ count: string }[]>(counted))[0]?.count),
    cutOff: async () => proxy.leadTo(await freePort()),
    reconnect: () => proxy.leadTo(server.port),
  };
}
