import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { serverAccount, type Account } from './account.js';
import { requirePostgresFolder } from './binaries.js';
import {
  checkDatabaseName,
  INITIALIZE_WITHIN_MS,
  STATEMENT_WITHIN_MS,
  type DatabaseServer,
  type DatabaseServerOptions,
} from './database-server.js';
import { onFreePort } from './ports.js';
import { makeDirectory, removeDirectory, ServerProcess } from './server-process.js';

/** Trades crash safety for speed, because the server is temporary. */
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '640',
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  autovacuum: 'off',
  dynamic_shared_memory_type: 'mmap',
};

export interface PostgresOptions extends DatabaseServerOptions {
  /** Users who must show a password, by SCRAM. The server is born without them. */
  readonly passwordUsers?: readonly string[];
}

/** Starts a private PostgreSQL: user `postgres`, no password. */
export async function startPostgres({
  passwordUsers = [],
  ...options
}: PostgresOptions = {}): Promise<DatabaseServer> {
  const account = serverAccount('postgres');
  const folder = requirePostgresFolder(account);
  const dir = makeDirectory('postgres', account);
  try {
    const data = await (options.replicaOf
      ? copyOf(options.replicaOf, folder, dir, account)
      : initialize(folder, dir, account));
    askForPasswords(join(data, 'pg_hba.conf'), passwordUsers);
    const settings = Object.entries({ ...SETTINGS, ...options.settings });
    const startOn = (port: number) =>
      ServerProcess.start(dir, {
        binary: join(folder, 'postgres'),
        args: [
          '-D',
          data,
          `--port=${port}`,
          ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`]),
        ],
        account,
        emergencySignal: 'SIGQUIT',
        isUp: () => isUp(urlOf(port, 'postgres')),
      });
    return await onFreePort(async (port) =>
      describe(await startOn(port), () => startOn(port), { port, dir, data }),
    );
  } catch (error) {
    removeDirectory(dir);
    throw error;
  }
}

function describe(
  first: ServerProcess,
  start: () => Promise<ServerProcess>,
  { port, dir, data }: { port: number; dir: string; data: string },
): DatabaseServer {
  let server = first;
  return {
    port,
    pid: server.pid,
    url: urlOf(port, 'postgres'),
    dataDirectory: data,
    async createDatabase(name) {
      checkDatabaseName(name);
      await execute(urlOf(port, 'postgres'), `CREATE DATABASE ${name}`);
      return urlOf(port, name);
    },
    // SIGQUIT is the immediate shutdown: the next start recovers as after a crash.
    crash: () => server.end('SIGQUIT'),
    async restart(between) {
      await server.end('SIGQUIT');
      await between?.();
      server = await start();
    },
    async stop() {
      // SIGINT is PostgreSQL's fast shutdown: it does not wait for clients to go, as SIGTERM does.
      await server.end('SIGINT');
      removeDirectory(dir);
    },
  };
}

/** A base backup that follows its primary when it is started. */
async function copyOf(
  { port }: DatabaseServer,
  folder: string,
  dir: string,
  account: Account,
): Promise<string> {
  const data = join(dir, 'data');
  const flags = ['--write-recovery-conf', '--checkpoint=fast', '--wal-method=stream', '--no-sync'];
  await promisify(execFile)(
    join(folder, 'pg_basebackup'),
    ['-h', '127.0.0.1', '-p', String(port), '-U', 'postgres', '-D', data, ...flags],
    { ...account, cwd: dir, timeout: INITIALIZE_WITHIN_MS },
  );
  return data;
}

async function initialize(folder: string, dir: string, account: Account): Promise<string> {
  const data = join(dir, 'data');
  const flags = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'];
  await promisify(execFile)(join(folder, 'initdb'), ['-D', data, ...flags], {
    ...account,
    cwd: dir,
    timeout: INITIALIZE_WITHIN_MS,
  });
  return data;
}

/** The first line that fits a connection decides. */
function askForPasswords(rules: string, users: readonly string[]): void {
  const lines = users.map((user) => `host all ${user} 127.0.0.1/32 scram-sha-256\n`);
  // Written into the file that is there, which belongs to the server's account.
  writeFileSync(rules, lines.join('') + readFileSync(rules, 'utf8'));
}

function urlOf(port: number, database: string): string {
  return `postgres://postgres@127.0.0.1:${port}/${database}`;
}

export async function isUp(url: string): Promise<boolean> {
  try {
    await execute(url, 'SELECT 1');
    return true;
  } catch {
    return false;
  }
}

async function execute(url: string, statement: string): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: STATEMENT_WITHIN_MS,
    query_timeout: STATEMENT_WITHIN_MS,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query(statement);
  } finally {
    await client.end().catch(() => undefined);
  }
}
