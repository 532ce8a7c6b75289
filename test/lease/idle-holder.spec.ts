import type { Server } from 'node:http';
import type { INestApplication } from '@nestjs/common';
import { SHOP_TOKEN, startService, storeOfTests } from '../../libs/snowflake-service/test/service-app.js';
import { spawnChild, type TestChild } from '../support/child.js';
import { startEtcd, startZookeeper } from '../support/servers/index.js';

/** Returns the address of a server, and a function that stops it. */
type Start = () => Promise<readonly [address: string, stop: () => Promise<void>]>;

const SERVERS: readonly (readonly [kind: string, start: Start])[] = [
  [
    'remote',
    async () => {
      // Otherwise, an idle connection of `fetch` keeps the process alive for some seconds.
      const closesIdle = (app: INestApplication<Server>): unknown =>
        (app.getHttpServer().keepAliveTimeout = 1);
      const served = { leases: { shop: storeOfTests() } };
      const service = await startService('Express', served, undefined, closesIdle);
      return [service.url, () => service.stop()];
    },
  ],
  [
    'etcd',
    async () => {
      const etcd = await startEtcd();
      return [etcd.url, () => etcd.stop()];
    },
  ],
  [
    'zookeeper',
    async () => {
      const zookeeper = await startZookeeper();
      return [zookeeper.connectString, () => zookeeper.stop()];
    },
  ],
];

const isRenewal = (message: unknown): message is object => (message as { type?: unknown }).type === 'renewed';

const startHolder = (kind: string, address = ''): TestChild =>
  spawnChild(new URL('./children/idle-holder.ts', import.meta.url), { args: [kind, address, SHOP_TOKEN] });

describe('a script that only started an ID maker', () => {
  it.each(SERVERS)('goes on until stop(), with a lease on %s', async (kind, start) => {
    const [address, stop] = await start();
    const holder = startHolder(kind, address);
    try {
      await holder.next(isRenewal);
      await expect(holder.kill('SIGTERM')).resolves.toEqual({ code: 0, signal: null });
    } finally {
      await holder.kill();
      await stop();
    }
  });

  it('ends by itself, with a lease in memory (control)', async () => {
    await expect(startHolder('memory').untilEnd(60_000)).resolves.toEqual({ code: 0, signal: null });
  });
});
