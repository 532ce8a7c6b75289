import { claimOf, firstRequest, granted, request } from '../integration/redis-store/requests.js';
import { OperatedRedis } from '../support/operated-redis.js';
import { waitFor } from '../support/wait.js';
import { cleanUpAfterEach } from '../support/clean-up.js';

const TIMEOUT_MS = 60_000;

const cleanUp = cleanUpAfterEach();

describe('a master that frees its backlog, long after the last replica has gone', () => {
  it('makes new processes wait after a new replication ID, and renews the leases of running ones', async () => {
    const master = await OperatedRedis.start(cleanUp, { args: ['--repl-backlog-ttl', '1'] });
    const replica = await OperatedRedis.start(cleanUp, { masterPort: master.port });
    const replicationId = async (): Promise<string> =>
      /master_replid:(\w+)/.exec(await master.replication())?.[1] ?? '';
    await master.untilFollowed();

    const store = master.store({ namespace: 'shop' });
    const holder = await granted(store.lease(firstRequest('a')));
    const before = await replicationId();
    await replica.server.kill();
    await waitFor('another replication ID', TIMEOUT_MS, async () => (await replicationId()) !== before);

    expect(await store.lease(request('b'))).toMatchObject({ outcome: 'wait', reason: 'history' });
    expect(await store.lease(request('c', claimOf(holder)))).toMatchObject({ outcome: 'kept' });
  });
});
