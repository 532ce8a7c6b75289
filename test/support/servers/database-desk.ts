import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { databaseDeskVariable, type DatabaseKind } from './database-for.js';
import type { DatabaseServer } from './database-server.js';

/**
 * The database servers that all specs of a run share live in Jest's own process. Specs run in workers and ask here
 * for a database of their own; the first one that asks has the server started, so that a run of unit specs
 * does not pay for any.
 */
let desk: Server | undefined;
let databasesMade = 0;
const servers = new Map<DatabaseKind, Promise<DatabaseServer>>();

const START: Record<DatabaseKind, () => Promise<DatabaseServer>> = {
  postgres: async () => (await import('./postgres.js')).startPostgres(),
  mariadb: async () => (await import('./mariadb.js')).startMariaDb(),
};

/** Opens the desk on a free port and tells the workers its address in an environment variable. */
export async function openDatabaseDesk(): Promise<void> {
  desk = createServer((request, response) => {
    // A connection that is kept could be closed just as the next spec uses it.
    response.setHeader('connection', 'close');
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://desk');
    databaseUrl(pathname.slice(1), searchParams.get('for') ?? '').then(
      (url) => response.end(url),
      (error: unknown) => response.writeHead(500).end(error instanceof Error ? error.message : String(error)),
    );
  });
  const listening = desk;
  await new Promise<void>((resolve, reject) => {
    listening.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  listening.unref();
  process.env[databaseDeskVariable] = `http://127.0.0.1:${(listening.address() as AddressInfo).port}`;
}

/** Stops the servers that were started. */
export async function closeDatabaseDesk(): Promise<void> {
  desk?.close();
  desk?.closeAllConnections();
  const started = await Promise.allSettled(servers.values());
  servers.clear();
  await Promise.all(
    started.map((server) => (server.status === 'fulfilled' ? server.value.stop() : undefined)),
  );
}

async function databaseUrl(kind: string, testName: string): Promise<string> {
  if (!isKind(kind)) throw new Error(`Unknown kind of database: ${kind}`);
  let server = servers.get(kind);
  if (server === undefined) servers.set(kind, (server = START[kind]()));
  databasesMade += 1;
  const slug = testName
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .slice(0, 40);
  return (await server).createDatabase(`t${databasesMade}_${slug}`);
}

function isKind(kind: string): kind is DatabaseKind {
  return Object.hasOwn(START, kind);
}
