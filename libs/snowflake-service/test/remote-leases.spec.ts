import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { remoteLeaseStore } from 'nestjs-snowflake/remote';
import type { LeaseStore } from 'nestjs-snowflake/store';
import type { HttpApp } from '../../../test/adapters/http-apps.js';
import { freePort, type RedisServer, startRedis } from '../../../test/support/servers/index.js';
import { leasesContract, requestOf, type ServedStore } from './leases-contract.js';
import { FaultyProxy } from '../../../test/support/proxies/faulty-proxy.js';
import {
  CALL_MS,
  IDS_TOKEN,
  PAST,
  startService,
  storeOfTests,
  storeWithoutBackfill,
  TOKEN,
} from './service-app.js';

let redis: RedisServer;
let namespaces = 0;

beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis?.stop());

const storeAt = (url: string, options: object = {}): LeaseStore =>
  remoteLeaseStore({ url, token: TOKEN, namespace: 'shop', ...options });

async function serve(store: LeaseStore): Promise<ServedStore> {
  const service = await startService('Fastify', { leases: { shop: store }, callTimeoutMs: CALL_MS });
  const clients: LeaseStore[] = [];
  const proxies: FaultyProxy[] = [];
  const clientAt = (url: string): LeaseStore => {
    const client = storeAt(url);
    client.open?.({ callTimeoutMs: CALL_MS });
    clients.push(client);
    return client;
  };
  return {
    client: () => clientAt(service.url),
    async repeatingClient(renames) {
      const proxy = await FaultyProxy.start(service.url);
      proxies.push(proxy);
      proxy.repeat(renames ? 'under the name of the call' : 'as it was');
      return clientAt(proxy.url);
    },
    async stop() {
      for (const client of clients) await client.close();
      for (const proxy of proxies) await proxy.close();
      await service.stop();
    },
  };
}

leasesContract('HTTP', serve, {
  Redis: () => redisLeaseStore({ url: redis.url, namespace: `remote-${(namespaces += 1)}` }),
});

describe('a remote lease store', () => {
  let service: HttpApp;
  beforeEach(async () => {
    service = await startService('Express', { leases: { shop: storeOfTests() } });
  });
  afterEach(() => service.stop());

  it('refuses worker IDs that the layout does not have, as the store of the service does', async () => {
    const beside = { ...requestOf('one'), layout: 'v2 workers=0+8', workerCount: 9 };
    for (const store of [storeOfTests(), storeAt(service.url)]) {
      await expect(store.lease(beside)).rejects.toMatchObject({
        code: 'SNOWFLAKE_INVALID_OPTION',
        option: 'workerCount',
      });
    }
  });

  it.each([
    ['without a token', { token: undefined }],
    ['with an unknown token', { token: 'an-unknown-token-of-nobody' }],
    ['with a token for something else', { token: IDS_TOKEN }],
    ['with a namespace that is not served', { namespace: 'another' }],
  ])('fails for good %s', async (_, options) => {
    await expect(storeAt(service.url, options).lease(requestOf('one'))).rejects.toMatchObject({
      code: 'SNOWFLAKE_STORE_REJECTED',
    });
  });

  it.each([
    // Nest's own 404 for a path without a route, as a service of an earlier version sends it.
    ['the service does not know backfill', 'path-of-an-older-service', 'outdated'],
    ['the store of the service keeps no claims', '', 'unsupported'],
  ])('refuses to backfill if %s, with a reason', async (_, path, reason) => {
    const leases = { shop: storeWithoutBackfill() };
    const refusing = await startService('Express', { leases });
    try {
      const claim = storeAt(`${refusing.url}/${path}`).backfill?.(PAST);
      await expect(claim).rejects.toMatchObject({ code: 'SNOWFLAKE_BACKFILL_REFUSED', reason });
    } finally {
      await refusing.stop();
    }
  });

  it.each([
    ['without a token', { token: undefined }],
    ['with a token for something else', { token: IDS_TOKEN }],
    ['with a namespace that is not served', { namespace: 'another' }],
  ])('does not backfill %s', async (_, options) => {
    await expect(storeAt(service.url, options).backfill?.(PAST)).rejects.toMatchObject({
      code: 'SNOWFLAKE_STORE_REJECTED',
    });
  });

  it('calls the next address after a call that failed', async () => {
    const dead = `http://127.0.0.1:${await freePort()}`;
    const several = storeAt('', { url: undefined, urls: [dead, service.url] });
    await expect(several.lease(requestOf('one'))).rejects.toMatchObject({
      code: 'SNOWFLAKE_STORE_UNAVAILABLE',
    });
    await expect(several.lease({ ...requestOf('one'), retry: true })).resolves.toMatchObject({
      outcome: 'new',
    });
  });

  it('gives up at the deadline if the service does not answer', async () => {
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

  it('does not follow a redirect, which would get the token', async () => {
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
