import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { databaseProviderVariable, type DatabaseKind } from './database-for.js';
import type { DatabaseServer } from './database-server.js';

/**
 * The database servers that all specs of a run share live in the process that starts the workers. Specs run in workers and request
 * a database of their own. A run of all specs starts the servers before the first one, since a start can take longer
 * than a test may. Otherwise the first request starts the server, so that a run of unit specs needs none.
 */
let provider: Server | undefined;
let databasesMade = 0;
const servers = new Map<DatabaseKind, Promise<DatabaseServer>>();

const START: Record<DatabaseKind, () => Promise<DatabaseServer>> = {
  postgres: async () => (await import('./postgres.js')).startPostgres(),
  mariadb: async () => (await import('./mariadb.js')).startMariaDb(),
};

/** Starts an HTTP server on a free port and passes its address to the workers in an environment variable. */
export async function openDatabaseProvider({
  startsServers,
}: {
  readonly startsServers: boolean;
}): Promise<void> {
  provider = createServer((request, response) => {
    // A connection that is kept could be closed just as the next spec uses it.
    response.setHeader('connection', 'close');
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://provider');
    databaseUrl(pathname.slice(1), searchParams.get('for') ?? '').then(
      (url) => response.end(url),
      (error: unknown) => response.writeHead(500).end(error instanceof Error ? error.message : String(error)),
    );
  });
  const listening = provider;
  await new Promise<void>((resolve, reject) => {
    listening.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  listening.unref();
  process.env[databaseProviderVariable] = `http://127.0.0.1:${(listening.address() as AddressInfo).port}`;
  if (startsServers) await Promise.all((Object.keys(START) as DatabaseKind[]).map(serverOf));
}

function serverOf(kind: DatabaseKind): Promise<DatabaseServer> {
  let server = servers.get(kind);
  if (server === undefined) servers.set(kind, (server = START[kind]()));
  return server;
}

/** Stops the servers that were started. */
export async function closeDatabaseProvider(): Promise<void> {
  provider?.close();
  provider?.closeAllConnections();
  const started = await Promise.allSettled(servers.values());
  servers.clear();
  await Promise.all(
    started.map((server) => (server.status === 'fulfilled' ? server.value.stop() : undefined)),
  );
}

async function databaseUrl(kind: string, testName: string): Promise<string> {
  if (!isKind(kind)) throw new Error(`Unknown kind of database: ${kind}`);
  databasesMade += 1;
  const slug = testName
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .slice(0, 40);
  return (await serverOf(kind)).createDatabase(`t${databasesMade}_${slug}`);
}

function isKind(kind: string): kind is DatabaseKind {
  return Object.hasOwn(START, kind);
}
