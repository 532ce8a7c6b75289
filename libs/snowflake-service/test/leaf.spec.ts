import { memoryLeaseStore, SnowflakeIdMaker, SnowflakeModule } from 'nestjs-snowflake';
import { SegmentModule, sqlSegmentStore } from 'nestjs-snowflake-segments';
import { bearerTokens } from 'nestjs-snowflake-service';
import { type HttpApp, PLATFORMS } from '../../../test/adapters/http-apps.js';
import { databaseFor } from '../../../test/support/servers/index.js';
import { startService, TOKEN } from './service-app.js';

const LEAF_EPOCH_MS = 1_288_834_974_657;
const LARGEST_LONG = 2n ** 63n - 1n;
const OPEN = bearerTokens([{ anyone: true, scopes: ['ids', 'segments'], names: ['default', 'order'] }]);

const ids = SnowflakeModule.forRoot({ store: memoryLeaseStore(), epoch: LEAF_EPOCH_MS });
let url: string;
beforeAll(async () => {
  url = await databaseFor('mariadb', 'addresses of Leaf');
});

describe.each(PLATFORMS)('the addresses of Leaf on %s [promise: segments]', (platform) => {
  let service: HttpApp;
  const ask = (path: string, method = 'GET'): Promise<Response> =>
    fetch(`${service.url}/api/${path}`, { method, headers: { connection: 'close' } });
  beforeAll(async () => {
    const store = sqlSegmentStore({ url, tableName: 'leaf_alloc', createTable: true });
    const segments = SegmentModule.forRoot({ tags: ['order', 'secret'], store });
    const options = { authorize: OPEN, leafAddresses: true, callTimeoutMs: 20_000 };
    service = await startService(platform, options, [ids, segments]);
  });
  afterAll(() => service.stop());

  it.each([
    ['snowflake/get/anything', 'GET'],
    ['snowflake/get/order', 'POST'],
    ['segment/get/order', 'GET'],
    ['segment/get/order', 'POST'],
  ])('answer %s by %s with a number as text, which a Java long holds', async (path, method) => {
    const response = await ask(path, method);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^text\/plain\b/);
    expect(response.headers.get('cache-control')).toBe('no-store');
    const text = await response.text();
    expect(text).toMatch(/^[1-9]\d*$/);
    expect(BigInt(text)).toBeLessThanOrEqual(LARGEST_LONG);
  });

  it('issue each number once', async () => {
    for (const path of ['snowflake/get/order', 'segment/get/order']) {
      const numbers = await Promise.all(Array.from({ length: 100 }, async () => (await ask(path)).text()));
      expect(new Set(numbers).size).toBe(100);
    }
  });

  it('give IDs that Leaf decodes like this library: its epoch, 10 bits of worker ID and 12 of sequence', async () => {
    const id = BigInt(await (await ask('snowflake/get/order')).text());
    expect(service.app.get(SnowflakeIdMaker).decode(id)).toMatchObject({
      timestampMs: Number(id >> 22n) + LEAF_EPOCH_MS,
      workerId: Number((id >> 12n) & 1023n),
      sequence: Number(id & 4095n),
    });
  });

  it.each([
    ['segment/get/secret', 401],
    ['segment/get/none', 401],
    ['segment/get', 404],
  ])('answer %s with %d', async (path, status) => {
    expect((await ask(path)).status).toBe(status);
  });

  it('serve nothing else without a token', async () => {
    const statusOf = async (path: string): Promise<number> =>
      (await fetch(`${service.url}/v1/${path}`, { headers: { connection: 'close' } })).status;
    expect(await statusOf('leases/shop')).toBe(401);
    expect(await statusOf('claims/shop')).toBe(401);
    expect(await statusOf('layouts/default')).toBe(401);
  });
});

describe.each(PLATFORMS)('the addresses of Leaf on %s in an app with a global prefix', (platform) => {
  it('answer without the prefix, as Leaf does, if the app excludes them', async () => {
    const options = { authorize: OPEN, leafAddresses: true };
    const service = await startService(platform, options, ids, (app) =>
      app.setGlobalPrefix('internal', { exclude: ['api/{*path}'] }),
    );
    try {
      const statusOf = async (path: string): Promise<number> =>
        (await fetch(`${service.url}/${path}`, { headers: { connection: 'close' } })).status;
      expect(await statusOf('api/snowflake/get/order')).toBe(200);
      expect(await statusOf('internal/v1/ids')).toBe(200);
    } finally {
      await service.stop();
    }
  });
});

describe('the addresses of Leaf', () => {
  const statusOf = async (options: object, headers: object = {}): Promise<number> => {
    const service = await startService('Express', options);
    try {
      const path = `${service.url}/api/snowflake/get/order`;
      return (await fetch(path, { headers: { connection: 'close', ...headers } })).status;
    } finally {
      await service.stop();
    }
  };

  it('answer 404 unless the app asks for them', async () => {
    expect(await statusOf({ authorize: OPEN })).toBe(404);
  });

  it('admit nobody without a token unless the app says so', async () => {
    expect(await statusOf({ leafAddresses: true })).toBe(401);
    expect(await statusOf({ leafAddresses: true }, { authorization: `Bearer ${TOKEN}` })).toBe(200);
  });

  it('have no tag if the app has no segments', async () => {
    const service = await startService('Express', { authorize: OPEN, leafAddresses: true });
    try {
      const response = await fetch(`${service.url}/api/segment/get/order`, {
        headers: { connection: 'close' },
      });
      expect(response.status).toBe(404);
    } finally {
      await service.stop();
    }
  });
});
