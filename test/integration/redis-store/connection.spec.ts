import { Redis } from 'ioredis';
import { redisLeaseStore, type RedisLeaseStoreOptions } from 'nestjs-snowflake/redis';
import type { LeaseStore } from '../../../libs/snowflake/src/lease/lease-store.js';
import { startRedis, type RedisServer } from '../../support/servers/index.js';
import { firstRequest, granted, request } from './requests.js';
import { cleanUpAfterEach } from '../../support/clean-up.js';

let server: RedisServer;
let admin: Redis;
const cleanUp = cleanUpAfterEach();

beforeAll(async () => {
  server = await startRedis();
  admin = new Redis(server.url);
});
afterAll(async () => {
  await admin.quit();
  await server.stop();
});
beforeEach(async () => void (await admin.flushall()));

async function openStore(options: Partial<RedisLeaseStoreOptions>): Promise<LeaseStore> {
  const store = redisLeaseStore({ namespace: 'shop', ...options });
  cleanUp(() => store.close());
  await store.open?.({ callTimeoutMs: 30_000 });
  return store;
}

function appClient(options = {}): Redis {
  const client = new Redis(server.port, '127.0.0.1', options);
  cleanUp(async () => {
    // A client that has ended would keep a timer for two seconds.
    if (client.status !== 'end') client.disconnect();
  });
  return client;
}

describe("the app's client", () => {
  it('duplicates the client of the app without its key prefix', async () => {
    const store = await openStore({ client: appClient({ keyPrefix: 'app:' }) });
    await granted(store.lease(firstRequest('a')));
    expect(await admin.keys('*')).toEqual(['snowflake:{shop}']);
  });

  it('serves leases while the client of the app blocks', async () => {
    const client = appClient();
    const blocked = client.blpop('nothing-comes', 0).catch(() => 'disconnected');
    const store = await openStore({ client });
    await granted(store.lease(firstRequest('a')));
    client.disconnect();
    expect(await blocked).toBe('disconnected');
    await granted(store.lease(request('b')));
  });

  it('leaves the settings of the client of the app alone', async () => {
    const client = appClient({ commandTimeout: 12_345 });
    await openStore({ client });
    expect(client.options).toMatchObject({
      commandTimeout: 12_345,
      maxRetriesPerRequest: 20,
      lazyConnect: false,
    });
  });
});

describe('the connection of the store', () => {
  it('makes no connection before the store is opened', async () => {
    redisLeaseStore({ url: server.url, namespace: 'unopened' });
    await admin.ping();
    expect(String(await admin.client('LIST'))).not.toContain('snowflake:unopened');
  });

  it('names the namespace in the name of the connection', async () => {
    const store = await openStore({ url: server.url });
    await granted(store.lease(firstRequest('a')));
    expect(String(await admin.client('LIST'))).toContain('name=snowflake:shop ');
  });

  it.each([2, 3] as const)('speaks RESP%d', async (protocol) => {
    const store = await openStore({ url: server.url, options: { protocol } });
    const { workerId, fencingToken, untilMs } = await granted(store.lease(firstRequest('a')));
    expect((await store.inspect()).rows).toEqual([{ workerId, fencingToken, reservedUntilMs: untilMs }]);
  });

  it.each([
    ['options', () => ({ options: { host: '127.0.0.1', port: server.port, db: 3, keyPrefix: 'x:' } })],
    ['url with a database and settings', () => ({ url: `${server.url}/3?keyPrefix=x:&commandTimeout=1` })],
  ])('connects with %s', async (_, options) => {
    const store = await openStore(options());
    await granted(store.lease(firstRequest('a')));
    expect(await admin.dbsize()).toBe(0);
    await admin.select(3);
    expect(await admin.keys('*')).toEqual(['snowflake:{shop}']);
    await admin.select(0);
  });
});
