import { DataSource, type DataSourceOptions } from 'typeorm';
import type { CleanUp } from '../../../support/clean-up.js';
import {
  type DatabaseServer,
  DURABLE_SETTINGS,
  startMariaDb,
  startPostgres,
} from '../../../support/servers/index.js';
import type { ReplicatedKind } from './replicated-database.js';

const TYPES = { PostgreSQL: 'postgres', MariaDB: 'mariadb' } as const;

/** The settings with which a server keeps each commit through a crash. Those of all other tests lose the last second. */
export const DURABLE: Readonly<Record<ReplicatedKind, Readonly<Record<string, string>>>> = {
  PostgreSQL: DURABLE_SETTINGS.postgres,
  MariaDB: DURABLE_SETTINGS.mariadb,
};

/** Starts a private server, which stops after the test. */
export async function startDatabaseServer(
  cleanUp: CleanUp,
  kind: ReplicatedKind,
  settings = DURABLE[kind],
): Promise<[server: DatabaseServer, options: DataSourceOptions]> {
  const server = await (kind === 'PostgreSQL' ? startPostgres({ settings }) : startMariaDb({ settings }));
  cleanUp(() => server.stop());
  return [server, { type: TYPES[kind], url: server.url }];
}

/** Executes statements one after the other on a connection of their own. Resolves to the rows of the last one. */
export async function execute<Row = unknown>(
  options: DataSourceOptions,
  ...statements: readonly string[]
): Promise<Row[]> {
  const admin = await new DataSource(options).initialize();
  try {
    let rows: Row[] = [];
    for (const statement of statements) rows = await admin.query<Row[]>(statement);
    return rows;
  } finally {
    await admin.destroy();
  }
}
