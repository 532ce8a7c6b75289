import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { requireBinary } from './binaries.js';
import { onFreePort } from './ports.js';
import type { RedisServer } from './redis.js';
import { makeDirectory, removeDirectory, ServerProcess } from './server-process.js';

export interface SentinelOptions {
  /** How long the master may be silent before the Sentinel considers it down, in milliseconds; 2000 by default. */
  readonly downAfterMs?: number;
  /** Also limits how long a replica may follow another address than that of the master, in milliseconds; 10,000 by default. */
  readonly failoverTimeoutMs?: number;
  /** The password that clients of the Sentinel need; none by default. */
  readonly password?: string;
  /** The password of the master. */
  readonly masterPassword?: string;
}

/** A private Redis Sentinel on 127.0.0.1, which decides alone. */
export interface SentinelServer {
  readonly port: number;
  /** The name of the master in its configuration. */
  readonly masterName: string;
  /** Ends it permanently and removes its directory. */
  stop(): Promise<void>;
}

const MASTER_NAME = 'main';

/** Starts a Sentinel that watches `master`, and waits until it listens. */
export async function startSentinel(
  master: Pick<RedisServer, 'port'>,
  { downAfterMs = 2000, failoverTimeoutMs = 10_000, password, masterPassword }: SentinelOptions = {},
): Promise<SentinelServer> {
  const dir = makeDirectory('sentinel');
  const config = join(dir, 'sentinel.conf');
  const lines = [
    `sentinel monitor ${MASTER_NAME} 127.0.0.1 ${master.port} 1`,
    `sentinel down-after-milliseconds ${MASTER_NAME} ${downAfterMs}`,
    `sentinel failover-timeout ${MASTER_NAME} ${failoverTimeoutMs}`,
    ...(masterPassword === undefined ? [] : [`sentinel auth-pass ${MASTER_NAME} ${quoted(masterPassword)}`]),
    ...(password === undefined ? [] : [`requirepass ${quoted(password)}`]),
  ];
  return onFreePort(async (port) => {
    // Anew for each port, because a Sentinel writes into its configuration.
    writeFileSync(config, `${lines.join('\n')}\n`);
    const sentinel = await ServerProcess.start(dir, {
      binary: requireBinary('redis-server'),
      args: [config, '--sentinel', '--port', String(port), '--bind', '127.0.0.1', '--dir', dir],
      account: {},
      emergencySignal: 'SIGKILL',
      isUp: () => accepts(port),
    });
    const stop = async (): Promise<void> => {
      await sentinel.end('SIGTERM');
      removeDirectory(dir);
    };
    return { port, masterName: MASTER_NAME, stop };
  });
}

/** As the configuration file of Redis reads it, whatever characters there are. */
function quoted(text: string): string {
  const bytes = [...Buffer.from(text)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`);
  return `"${bytes.join('')}"`;
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const finish = (isUp: boolean): void => {
      socket.destroy();
      resolve(isUp);
    };
    socket.once('connect', () => finish(true)).once('error', () => finish(false));
  });
}
