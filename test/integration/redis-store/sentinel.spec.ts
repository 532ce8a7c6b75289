import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { requireBinary } from '../../support/servers/binaries.js';
import { freePort, startRedis, type RedisServer } from '../../support/servers/index.js';
import { makeDirectory, removeDirectory, ServerProcess } from '../../support/servers/server-process.js';
import { waitFor } from '../../support/wait.js';
import { claimOf, firstRequest, granted, request } from './requests.js';

const WITHIN_MS = 40_000;

const closing: Array<() => Promise<void>> = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function start(...args: string[]): Promise<RedisServer> {
  const server = await startRedis({ args: ['--repl-diskless-sync-delay', '0', ...args] });
  closing.push(() => server.stop());
  return server;
}

async function startSentinel(master: RedisServer): Promise<number> {
  const [dir, port] = [makeDirectory('sentinel'), await freePort()];
  const config = join(dir, 'sentinel.conf');
  const lines = [
    `sentinel monitor main 127.0.0.1 ${master.port} 1`,
    'sentinel down-after-milliseconds main 2000',
    'sentinel failover-timeout main 10000',
  ];
  writeFileSync(config, `${lines.join('\n')}\n`);
  const sentinel = await ServerProcess.start(dir, {
    binary: requireBinary('redis-server'),
    args: [config, '--sentinel', '--port', String(port), '--bind', '127.0.0.1', '--dir', dir],
    account: {},
    emergencySignal: 'SIGKILL',
    isUp: () => accepts(port),
  });
  closing.push(async () => {
    await sentinel.end('SIGTERM');
    removeDirectory(dir);
  });
  return port;
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

describe('a master behind Sentinel that hangs', () => {
  it('is left by a reconnect, which asks the Sentinels for the new master', async () => {
    const master = await start();
    const replica = await start('--replicaof', '127.0.0.1', String(master.port));
    const sentinel = new Redis(await startSentinel(master), '127.0.0.1');
    closing.push(async () => sentinel.disconnect());
    await waitFor('the Sentinel to know the replica', WITHIN_MS, async () =>
      String(await sentinel.call('SENTINEL', 'REPLICAS', 'main')).includes(String(replica.port)),
    );
    const sentinels = [{ host: '127.0.0.1', port: sentinel.options.port ?? 0 }];
    const store = redisLeaseStore({ sentinels, name: 'main', namespace: 'sentinel' });
    closing.push(() => store.close());
    await store.open?.({ callTimeoutMs: 500 });
    const holder = await waitFor('the first lease', WITHIN_MS, () =>
      granted(store.lease(firstRequest('a'))).catch(() => undefined),
    );
    const old = new Redis(master.url);
    expect(await old.wait(1, 10_000)).toBe(1);
    old.disconnect();

    master.pause();
    const newcomer = await waitFor('the new master to answer', WITHIN_MS, async () => {
      const reply = await store.lease(request('b')).catch(() => undefined);
      if (!reply) store.reconnect?.();
      return reply;
    });
    expect(newcomer).toMatchObject({ outcome: 'wait', reason: 'reign' });
    expect(await store.lease(request('c', claimOf(holder)))).toMatchObject({ outcome: 'kept' });
    const promoted = new Redis(replica.url);
    expect(await promoted.hget('snowflake:{sentinel}', '0')).toContain(holder.deed);
    await promoted.quit();
  });
});
