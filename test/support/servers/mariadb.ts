import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createConnection } from 'mysql2/promise';
import { serverAccount, type Account } from './account.js';
import { requireBinary } from './binaries.js';
import {
  checkDatabaseName,
  INITIALIZE_WITHIN_MS,
  STATEMENT_WITHIN_MS,
  type DatabaseServer,
  type DatabaseServerOptions,
} from './database-server.js';
import { onFreePort } from './ports.js';
import { makeDirectory, removeDirectory, ServerProcess } from './server-process.js';

const USER = 'snowflake';
const PASSWORD = 'snowflake';

/** Executed at the start: a user for TCP, since the root of a new server may be bound to a socket. */
const FIRST_STATEMENTS = `
CREATE USER IF NOT EXISTS '${USER}'@'127.0.0.1' IDENTIFIED BY '${PASSWORD}';
GRANT ALL PRIVILEGES ON *.* TO '${USER}'@'127.0.0.1' WITH GRANT OPTION;
CREATE DATABASE IF NOT EXISTS test;
`;

/** Starts a private MariaDB: user and password `snowflake`. */
export async function startMariaDb(options: DatabaseServerOptions = {}): Promise<DatabaseServer> {
  const binary = requireBinary('mariadbd');
  const account = serverAccount('mysql');
  const dir = makeDirectory('mariadb', account);
  try {
    const data = await initialize(dir, account);
    const settings = Object.entries(options.settings ?? {}).map(([name, value]) => `--${name}=${value}`);
    const startOn = (port: number) =>
      ServerProcess.start(dir, {
        binary,
        args: [
          ...serverArguments(dir, data, port),
          ...(options.settings?.['log-bin'] ? [] : ['--skip-log-bin']),
          ...settings,
        ],
        account,
        emergencySignal: 'SIGTERM',
        isUp: () => isUp(urlOf(port, 'test')),
      });
    const server = await onFreePort(async (port) =>
      describe(await startOn(port), () => startOn(port), { port, dir, data }),
    );
    if (options.replicaOf) await follow(server, options.replicaOf);
    return server;
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
    url: urlOf(port, 'test'),
    dataDirectory: data,
    async createDatabase(name) {
      checkDatabaseName(name);
      await execute(urlOf(port, 'test'), `CREATE DATABASE ${name} CHARACTER SET utf8mb4`);
      return urlOf(port, name);
    },
    crash: () => server.end('SIGKILL'),
    async restart(between) {
      await server.end('SIGKILL');
      await between?.();
      server = await start();
    },
    async stop() {
      await server.end('SIGTERM');
      removeDirectory(dir);
    },
  };
}

/** Replicates everything from the beginning of the primary's binary log. */
async function follow(replica: DatabaseServer, { port }: DatabaseServer): Promise<void> {
  const url = urlOf(replica.port, 'test');
  await execute(
    url,
    `CHANGE MASTER TO MASTER_HOST='127.0.0.1', MASTER_PORT=${port}, MASTER_USER='${USER}',` +
      ` MASTER_PASSWORD='${PASSWORD}', MASTER_USE_GTID=slave_pos`,
  );
  await execute(url, 'START SLAVE');
}

async function initialize(dir: string, account: Account): Promise<string> {
  const data = join(dir, 'data');
  const flags = ['--auth-root-authentication-method=normal', '--skip-test-db', '--skip-name-resolve'];
  // `--no-defaults` must come first: the settings of the machine are not ours to inherit.
  await promisify(execFile)(
    requireBinary('mariadb-install-db'),
    ['--no-defaults', `--datadir=${data}`, `--tmpdir=${dir}`, ...flags],
    { ...account, cwd: dir, timeout: INITIALIZE_WITHIN_MS },
  );
  return data;
}

function serverArguments(dir: string, data: string, port: number): string[] {
  const firstStatements = join(dir, 'first.sql');
  writeFileSync(firstStatements, FIRST_STATEMENTS, { mode: 0o644 });
  return [
    '--no-defaults',
    `--datadir=${data}`,
    `--tmpdir=${dir}`,
    `--port=${port}`,
    '--bind-address=127.0.0.1',
    `--socket=${join(dir, 'server.sock')}`,
    `--pid-file=${join(dir, 'server.pid')}`,
    `--init-file=${firstStatements}`,
    '--skip-name-resolve',
    '--max-connections=640',
    '--innodb-buffer-pool-size=32M',
    '--innodb-flush-log-at-trx-commit=0',
  ];
}

function urlOf(port: number, database: string): string {
  return `mariadb://${USER}:${PASSWORD}@127.0.0.1:${port}/${database}`;
}

async function isUp(url: string): Promise<boolean> {
  try {
    await execute(url, 'SELECT 1');
    return true;
  } catch {
    return false;
  }
}

async function execute(url: string, statement: string): Promise<void> {
  const connection = await createConnection({ uri: url, connectTimeout: STATEMENT_WITHIN_MS });
  try {
    await connection.query({ sql: statement, timeout: STATEMENT_WITHIN_MS });
  } finally {
    connection.destroy();
  }
}
