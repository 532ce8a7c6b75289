import { Redis } from 'ioredis';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { claimOf, firstRequest, granted, request } from '../integration/redis-store/requests.js';
import { startRedis } from '../support/servers/index.js';
import { waitFor } from '../support/wait.js';

const TIMEOUT_MS = 60_000;

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

describe('a master that frees its backlog, long after the last replica has gone', () => {
  it('makes new processes wait after a new replication ID, and renews the leases of running ones', async () => {
    const args = ['--repl-diskless-sync-delay', '0', '--repl-backlog-ttl', '1'];
    const master = await startRedis({ args });
    closing.push(() => master.stop());
    const replica = await startRedis({ args: ['--replicaof', '127.0.0.1', String(master.port)] });
    closing.push(() => replica.stop());
    const operator = new Redis(master.url);
    closing.push(() => operator.disconnect());
    const replication = (): Promise<string> => operator.info('replication');
    const idOf = (info: string): string => /master_replid:(\w+)/.exec(info)?.[1] ?? '';
    await waitFor('the replica to follow', TIMEOUT_MS, async () => /state=online/.test(await replication()));

    const store = redisLeaseStore({ url: master.url, namespace: 'shop' });
    closing.push(() => store.close());
    await store.open?.({ callTimeoutMs: 30_000 });
    const holder = await granted(store.lease(firstRequest('a')));
    const before = idOf(await replication());
    await replica.kill();
    await waitFor('another replication ID', TIMEOUT_MS, async () => idOf(await replication()) !== before);

    expect(await store.lease(request('b'))).toMatchObject({ outcome: 'wait', reason: 'history' });
    expect(await store.lease(request('c', claimOf(holder)))).toMatchObject({ outcome: 'kept' });
  });
});
