import { Redis } from 'ioredis';
import { RedisLeaseStore } from '../../../libs/snowflake/src/stores/redis/redis-lease-store.js';
import { registryKey } from '../../../libs/snowflake/src/stores/redis/registry-key.js';
import { startRedis, type RedisServer } from '../../support/servers/index.js';
import { firstRequest } from './requests.js';

describe('the assertion that a server loses no write, and how often it flushes its file', () => {
  let durable: RedisServer;
  let operator: Redis;
  const stores: RedisLeaseStore[] = [];

  beforeAll(async () => {
    durable = await startRedis({ persistence: 'aof' });
    operator = new Redis(durable.url);
  });
  afterEach(async () => {
    await Promise.all(stores.splice(0).map((store) => store.close()));
  });
  afterAll(async () => {
    await operator.quit();
    await durable.stop();
  });

  const opened = (namespace: string, options: object = { assumeNoLostWrites: true }): RedisLeaseStore => {
    const store = new RedisLeaseStore({ url: durable.url, namespace, ...options });
    store.open({ callTimeoutMs: 10_000 });
    stores.push(store);
    return store;
  };
  const flush = (policy: string) => operator.config('SET', 'appendfsync', policy);

  it.each(['everysec', 'no'])(
    'refuses the assertion on a real server with appendfsync %s',
    async (policy) => {
      await flush(policy);
      await expect(opened(policy).lease(firstRequest('a'))).rejects.toMatchObject({
        code: 'SNOWFLAKE_STORE_REJECTED',
        message: expect.stringContaining(`appendfsync is ${policy}`),
      });
      expect(await operator.exists(registryKey(policy))).toBe(0);
    },
  );

  it('accepts the assertion with appendfsync always, until the server changes it', async () => {
    await flush('always');
    const store = opened('always');
    expect(await store.lease(firstRequest('a'))).toMatchObject({ outcome: 'new' });
    await flush('everysec');
    await expect(store.lease(firstRequest('b'))).rejects.toThrow('appendfsync is everysec');
  });

  it('accepts the assertion of a user who may not run CONFIG', async () => {
    await flush('everysec');
    await operator.acl('SETUSER', 'app', 'on', '>word', '~*', '+@all', '-config');
    const url = durable.url.replace('//', '//app:word@');
    expect(await opened('blocked', { url, assumeNoLostWrites: true }).lease(firstRequest('a'))).toMatchObject(
      {
        outcome: 'new',
      },
    );
  });

  it('serves the server without the assertion, whatever it flushes (control)', async () => {
    await flush('no');
    expect(await opened('plain', {}).lease(firstRequest('a'))).toMatchObject({ outcome: 'new' });
  });
});
