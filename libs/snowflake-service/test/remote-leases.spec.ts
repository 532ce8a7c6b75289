import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { SnowflakeIdMaker } from 'nestjs-snowflake/standalone';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { remoteLeaseStore } from 'nestjs-snowflake/remote';
import { sqlLeaseStore } from 'nestjs-snowflake/sql';
import type { LeaseStore } from 'nestjs-snowflake/store';
import { leaseStoreContract, type StoreUnderTest } from 'nestjs-snowflake/store-testing';
import type { HttpApp } from '../../../test/adapters/http-apps.js';
import { concurrentCases } from '../../../test/support/concurrent-cases.js';
import { databaseFor, freePort, type RedisServer, startRedis } from '../../../test/support/servers/index.js';
import { startRepeatingProxy } from './repeating-proxy.js';
import { IDS_TOKEN, startService, storeOfTests, TOKEN } from './service-app.js';

const cases = concurrentCases(8);
let redis: RedisServer;
let postgresUrl: string;
let namespaces = 0;

beforeAll(async () => {
  redis = await startRedis();
  postgresUrl = await databaseFor('postgres', 'leases over the network');
});
afterAll(() => redis?.stop());

const STORES: Readonly<Record<string, () => LeaseStore>> = {
  memory: storeOfTests,
  Redis: () => redisLeaseStore({ url: redis.url, namespace: `remote-${(namespaces += 1)}` }),
  PostgreSQL: () =>
    sqlLeaseStore({ url: postgresUrl, namespace: `remote-${(namespaces += 1)}`, createTable: true }),
};

async function remoteStoreOver(makeStore: () => LeaseStore): Promise<StoreUnderTest> {
  const service = await startService('Fastify', { leases: { shop: makeStore() } });
  const store = remoteLeaseStore({ url: service.url, token: TOKEN, namespace: 'shop' });
  const dispose = async (): Promise<void> => {
    await store.close();
    await service.stop();
  };
  return { store, letPass: (ms) => delay(ms), dispose };
}

for (const [name, makeStore] of Object.entries(STORES)) {
  describe(`a remote lease store over ${name} [promise: unique]`, () => {
    leaseStoreContract(() => remoteStoreOver(makeStore), cases);
  });
}

/** An ID maker without a clock correction or a wait for what may be lost. */
function makerWith(store: LeaseStore): SnowflakeIdMaker {
  return new SnowflakeIdMaker({ store, lease: { possibleLoss: 'ignore' } });
}

const requestOf = (holder: string) => ({
  layout: 'layout',
  firstWorkerId: 0,
  workerCount: 8,
  windowMs: 60_000,
  maxSkewMs: 1000,
  nonce: `0123456789abcdef:${holder}`,
  retry: false,
  assumeNew: true,
  searchSeed: 1,
});

describe('leases over the network [promise: unique]', () => {
  let service: HttpApp;
  let store: LeaseStore;
  const storeAt = (url: string, options: object = {}): LeaseStore =>
    remoteLeaseStore({ url, token: TOKEN, namespace: 'shop', ...options });

  beforeEach(async () => {
    service = await startService('Express', { leases: { shop: storeOfTests() } });
    store = storeAt(service.url);
  });
  afterEach(async () => {
    await store.close();
    await service.stop();
  });

  it('give each ID maker a worker ID of its own, and get it back when it stops', async () => {
    const makers = [makerWith(store), makerWith(storeAt(service.url))];
    await Promise.all(makers.map((maker) => maker.start()));
    const ids = makers.flatMap((maker) => maker.nextIds(10_000));
    expect(new Set(ids).size).toBe(20_000);
    const held = async (): Promise<number> =>
      (await store.inspect()).rows.filter(({ fencingToken }) => fencingToken !== '').length;
    expect(await held()).toBe(2);
    await Promise.all(makers.map((maker) => maker.stop()));
    expect(await held()).toBe(0);
  });

  it('refuse a response to another call, such as a repeated grant', async () => {
    const { url, server } = await startRepeatingProxy(service.url, false);
    const behindProxy = storeAt(url);
    try {
      await expect(behindProxy.lease(requestOf('one'))).resolves.toMatchObject({
        outcome: 'new',
        workerId: 0,
      });
      await expect(behindProxy.lease(requestOf('two'))).rejects.toMatchObject({
        code: 'SNOWFLAKE_STORE_UNAVAILABLE',
      });
    } finally {
      server.close().closeAllConnections();
    }
  });

  it('would give one worker ID to two processes if a response could be repeated (control)', async () => {
    const { url, server } = await startRepeatingProxy(service.url, true);
    const behindProxy = storeAt(url);
    try {
      const grants = [await behindProxy.lease(requestOf('one')), await behindProxy.lease(requestOf('two'))];
      expect(grants[0]).toEqual(grants[1]);
    } finally {
      server.close().closeAllConnections();
    }
  });

  it('keep what the store replies to a layout that does not fit', async () => {
    await store.lease(requestOf('one'));
    await expect(store.lease({ ...requestOf('two'), layout: 'another layout' })).resolves.toEqual({
      outcome: 'layout',
      storedLayout: 'layout',
    });
  });

  it('are refused for worker IDs that the layout does not have, as by the store itself', async () => {
    const beside = { ...requestOf('one'), layout: 'v2 workers=0+8', workerCount: 9 };
    for (const refusing of [storeOfTests(), store]) {
      await expect(refusing.lease(beside)).rejects.toMatchObject({
        code: 'SNOWFLAKE_INVALID_OPTION',
        option: 'workerCount',
      });
    }
  });

  it('may have windows of several lengths, of which the longest counts, as in the store itself', async () => {
    for (const keeping of [storeOfTests(), store]) {
      for (const [holder, windowMs] of Object.entries({ one: 20_000, two: 90_000, three: 60_000 })) {
        const reply = await keeping.lease({ ...requestOf(holder), windowMs });
        expect(reply).toMatchObject({ outcome: 'new' });
        if (reply.outcome === 'new') expect(reply.untilMs - reply.storeNowMs).toBe(windowMs);
      }
      await expect(keeping.inspect()).resolves.toMatchObject({ longestWindowMs: 90_000 });
    }
  });

  it.each([
    ['without a token', { token: undefined }],
    ['with an unknown token', { token: 'an-unknown-token-of-nobody' }],
    ['with a token for something else', { token: IDS_TOKEN }],
    ['of a namespace that is not served', { namespace: 'another' }],
  ])('are refused for good %s', async (_, options) => {
    await expect(storeAt(service.url, options).lease(requestOf('one'))).rejects.toMatchObject({
      code: 'SNOWFLAKE_STORE_REJECTED',
    });
  });

  it('are asked for at the next address after a call that failed', async () => {
    const dead = `http://127.0.0.1:${await freePort()}`;
    const several = storeAt('', { url: undefined, urls: [dead, service.url] });
    await expect(several.lease(requestOf('one'))).rejects.toMatchObject({
      code: 'SNOWFLAKE_STORE_UNAVAILABLE',
    });
    await expect(several.lease({ ...requestOf('one'), retry: true })).resolves.toMatchObject({
      outcome: 'new',
    });
  });

  it('end at the deadline if the service does not answer', async () => {
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    try {
      const deadline = { timeoutMs: 200, remainingMs: () => 200 };
      await expect(
        storeAt(`http://127.0.0.1:${port}`).lease(requestOf('one'), deadline),
      ).rejects.toMatchObject({ code: 'SNOWFLAKE_STORE_UNAVAILABLE' });
    } finally {
      silent.close().closeAllConnections();
    }
  });

  it('do not follow a redirect, which would get the token', async () => {
    const elsewhere = createServer((_request, response) =>
      response.writeHead(307, { location: `${service.url}/v1/leases/shop` }).end(),
    );
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
    const { port } = elsewhere.address() as AddressInfo;
    try {
      await expect(storeAt(`http://127.0.0.1:${port}`).lease(requestOf('one'))).rejects.toMatchObject({
        code: 'SNOWFLAKE_STORE_REJECTED',
      });
    } finally {
      elsewhere.close().closeAllConnections();
    }
  });
});
