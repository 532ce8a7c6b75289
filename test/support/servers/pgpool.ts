import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serverAccount } from './account.js';
import { requireBinary } from './binaries.js';
import type { DatabaseServer } from './database-server.js';
import { freePort, onFreePort } from './ports.js';
import { isUp } from './postgres.js';
import { makeDirectory, removeDirectory, ServerProcess } from './server-process.js';

/** A pgpool in front of a primary and its replica. */
export interface Pgpool {
  readonly url: string;
  readonly port: number;
  stop(): Promise<void>;
}

/**
 * Starts a private pgpool that sends every statement to the replica that it takes for a read, even within a transaction
 * that has written.
 */
export async function startPgpool(primary: DatabaseServer, replica: DatabaseServer): Promise<Pgpool> {
  const dir = makeDirectory('pgpool', serverAccount('postgres'));
  writeFileSync(join(dir, 'pcp.conf'), '');
  writeFileSync(join(dir, 'pool_hba.conf'), '');
  try {
    return await onFreePort((port) => startOn(port, dir, primary, replica));
  } catch (error) {
    removeDirectory(dir);
    throw error;
  }
}

async function startOn(
  port: number,
  dir: string,
  primary: DatabaseServer,
  replica: DatabaseServer,
): Promise<Pgpool> {
  const settings = {
    listen_addresses: '127.0.0.1',
    pcp_listen_addresses: '127.0.0.1',
    port,
    pcp_port: await freePort(),
    socket_dir: dir,
    unix_socket_directories: dir,
    pcp_socket_dir: dir,
    wd_ipc_socket_dir: dir,
    logdir: dir,
    pid_file_name: join(dir, 'pgpool.pid'),
    num_init_children: 8,
    backend_clustering_mode: 'streaming_replication',
    backend_hostname0: '127.0.0.1',
    backend_port0: primary.port,
    backend_weight0: 0,
    backend_flag0: 'ALWAYS_PRIMARY|DISALLOW_TO_FAILOVER',
    backend_hostname1: '127.0.0.1',
    backend_port1: replica.port,
    backend_weight1: 1,
    backend_flag1: 'DISALLOW_TO_FAILOVER',
    sr_check_user: 'postgres',
    sr_check_database: 'postgres',
    load_balance_mode: 'on',
    statement_level_load_balance: 'on',
    disable_load_balance_on_write: 'off',
    enable_pool_hba: 'off',
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'`);
  writeFileSync(join(dir, 'pgpool.conf'), `${lines.join('\n')}\n`);
  const address = new URL(primary.url);
  address.port = String(port);
  const files = { '-f': 'pgpool.conf', '-F': 'pcp.conf', '-a': 'pool_hba.conf' };
  const server = await ServerProcess.start(dir, {
    binary: requireBinary('pgpool'),
    args: ['-n', ...Object.entries(files).flatMap(([flag, name]) => [flag, join(dir, name)])],
    account: serverAccount('postgres'),
    emergencySignal: 'SIGINT',
    isUp: () => isUp(address.href),
  });
  return {
    url: address.href,
    port,
    async stop() {
      await server.end('SIGINT');
      removeDirectory(dir);
    },
  };
}
