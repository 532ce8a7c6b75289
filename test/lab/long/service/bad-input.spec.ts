import type { Server } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { SnowflakeIdMaker } from 'nestjs-snowflake';
import { type HttpApp, PLATFORMS } from '../../../adapters/http-apps.js';
import { AUTHORIZED, exchange, RawClient } from '../../../../libs/snowflake-service/test/raw-client.js';
import {
  LEASE,
  send,
  startService,
  storeOfTests,
} from '../../../../libs/snowflake-service/test/service-app.js';

const WITHIN_MS = 60_000;
const MEGABYTE = 1_000_000;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const idsIn = (body: string): readonly string[] => (JSON.parse(body) as { ids: string[] }).ids;

function expectNoneTwice(ids: readonly string[]): void {
  expect(new Set(ids).size).toBe(ids.length);
}

/** One request of raw HTTP. */
const post = (path: string, type: string, body: string, length = body.length): string =>
  `POST /${path} HTTP/1.1\r\n${AUTHORIZED}Snowflake-Call: call-1\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n${body}`;

describe.each(PLATFORMS)('the service on %s', (platform) => {
  let service: HttpApp;
  let maker: SnowflakeIdMaker;
  beforeAll(async () => {
    service = await startService(platform, { leases: { shop: storeOfTests() } });
    maker = service.app.get(SnowflakeIdMaker);
  });
  afterAll(() => service.stop());

  it.each(['0', '-1', '1000000000', String(2 ** 53), '1e3', '0x10', '1.5', '%201', '+1', 'NaN', '', '٣'])(
    'refuses a count of "%s", and generates no ID',
    async (count) => {
      const { issued } = maker.status();
      const answer = await send(service, `v1/ids?count=${encodeURI(count)}`);
      expect(answer).toMatchObject({ status: 400, body: { code: 'SNOWFLAKE_INVALID_REQUEST' } });
      expect(maker.status().issued).toBe(issued);
    },
  );

  it.each([
    ['text', 'text/plain', '{"count":1}', 415],
    ['XML', 'application/xml', '<count>1</count>', 415],
    ['a form', 'application/x-www-form-urlencoded', 'count=1', 415],
    ['a form of several parts', 'multipart/form-data; boundary=x', '--x--', 415],
    ['JSON that is not complete', 'application/json', '{"count":', 400],
    ['JSON that is no object', 'application/json', 'null', 400],
    ['JSON that is nested deeply', 'application/json', '['.repeat(50_000), 400],
    ['JSON that names a prototype', 'application/json', '{"__proto__":{"count":1}}', 400],
    ['JSON that names a constructor', 'application/json', '{"constructor":{"prototype":{}}}', 400],
    ['a field of 64 kB', 'application/json', JSON.stringify({ instance: 'x'.repeat(65_536) }), 404],
  ])('refuses %s, and generates no ID', async (_, type, body, status) => {
    const { issued } = maker.status();
    const client = await RawClient.to(service.url);
    client.send(post('v1/ids', type, body));
    const [response] = await client.next(1);
    client.close();
    expect(response?.status).toBe(status);
    expect(JSON.parse(response?.body ?? '')).toBeInstanceOf(Object);
    expect(maker.status().issued).toBe(issued);
  });

  it('refuses a layout of 64 kB, which a registry would keep', async () => {
    const answer = await send(service, 'v1/leases/shop', { body: { ...LEASE, layout: 'x'.repeat(65_536) } });
    expect(answer).toMatchObject({ status: 400, body: { code: 'SNOWFLAKE_INVALID_REQUEST' } });
    expect(JSON.stringify(answer.body).length).toBeLessThan(2000);
  });

  it.each([
    ['a megabyte', MEGABYTE, { Express: 413, Fastify: 400 }],
    ['four megabytes', 4 * MEGABYTE, { Express: 413, Fastify: 413 }],
  ])('refuses a body of %s, and leases nothing', async (_, length, status) => {
    const client = await RawClient.to(service.url);
    const body = JSON.stringify({ ...LEASE, layout: 'x'.repeat(length) });
    client.send(post('v1/leases/shop', 'application/json', body));
    const [response] = await client.next(1);
    client.close();
    expect(response?.status).toBe(status[platform]);
    expect((await send(service, 'v1/leases/shop')).body.rows).toEqual([]);
  });

  it('refuses a token of a megabyte', async () => {
    const text = await exchange(
      service.url,
      `GET /v1/ids HTTP/1.1\r\nHost: service\r\nAuthorization: Bearer ${'x'.repeat(MEGABYTE)}\r\n\r\n`,
    );
    expect(text === '' ? '431' : text.slice(9, 12)).toBe('431');
  });

  it('refuses a token of 8 kB as any other one', async () => {
    const { status, body } = await send(service, 'v1/ids', { token: 'x'.repeat(8000) });
    expect(status).toBe(401);
    expect(JSON.stringify(body).length).toBeLessThan(1000);
  });

  it('serves HTTP/1.0, and closes the connection', async () => {
    const text = await exchange(service.url, `GET /v1/ids?count=3 HTTP/1.0\r\n${AUTHORIZED}\r\n`);
    expect(text).toMatch(/^HTTP\/1\.[01] 200 /);
    expect(idsIn(text.slice(text.indexOf('\r\n\r\n') + 4))).toHaveLength(3);
  });

  it('answers what is not HTTP with 400', async () => {
    expect(await exchange(service.url, '\u0000\u0001\u0002 snowflake\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('leaves it to the platform how long a request may take to arrive', () => {
    const { requestTimeout } = service.app.getHttpServer() as Server;
    expect(requestTimeout).toBe({ Express: 300_000, Fastify: 0 }[platform]);
  });

  it('generates no ID for half a request, while it serves others', async () => {
    const { issued } = maker.status();
    const halves = await Promise.all(Array.from({ length: 50 }, () => RawClient.to(service.url)));
    for (const [at, half] of halves.entries()) {
      half.send(at % 2 ? post('v1/ids', 'application/json', '{"count":10', 100) : 'GET /v1/ids HTT');
    }
    const { body } = await send(service, 'v1/ids', { body: { count: 5 } });
    expect(body.ids).toHaveLength(5);
    for (const half of halves) half.close();
    await send(service, 'v1/layouts/default');
    expect(maker.status().issued).toBe(issued + 5);
  });

  it(
    'makes little for a client that reads nothing, serves others meanwhile, and loses no response',
    async () => {
      const [requests, count] = [120, 10_000];
      // So that few requests come in what Node reads at once: it answers those before it looks at the connection again.
      const padding = `X-Padding: ${'x'.repeat(8000)}\r\n`;
      const before = maker.status().issued;
      const slow = await RawClient.to(service.url);
      slow.socket.pause();
      slow.send(`GET /v1/ids?count=${count} HTTP/1.1\r\n${AUTHORIZED}${padding}\r\n`.repeat(requests));
      for (let other = 0; other < 20; other++) {
        expect((await send(service, 'v1/layouts/default')).status).toBe(200);
      }
      // The rest of the requests waits in the connection, because Node reads no more of them.
      expect(maker.status().issued - before).toBeLessThan((requests * count) / 2);
      slow.socket.resume();
      let last = '';
      for (let response = 0; response < requests; response++) {
        const [{ status, body } = { status: 0, body: '' }] = await slow.next(1);
        expect(status).toBe(200);
        const ids = idsIn(body);
        expect(ids).toHaveLength(count);
        // Ascending over all responses, so none is equal to another. All have the same number of digits.
        expect(ids.every((id) => last < (last = id))).toBe(true);
      }
      slow.close();
      expect(maker.status().issued - before).toBe(requests * count);
    },
    WITHIN_MS,
  );

  it(
    'answers on a thousand connections at once, and issues no ID twice',
    async () => {
      const clients = await Promise.all(Array.from({ length: 1000 }, () => RawClient.to(service.url)));
      for (const client of clients) client.send(post('v1/ids', 'application/json', '{"count":10}'));
      const responses = await Promise.all(clients.map((client) => client.next(1)));
      for (const client of clients) client.close();
      const ids = responses.flat().flatMap(({ body }) => idsIn(body));
      expect(ids).toHaveLength(10_000);
      expectNoneTwice(ids);
    },
    WITHIN_MS,
  );

  it(
    'keeps nothing of names that clients make up',
    async () => {
      const client = await RawClient.to(service.url);
      const [names, length] = [1500, 8000];
      const askFor = async (from: number, count: number): Promise<void> => {
        for (let at = from; at < from + count; at += 100) {
          const paths = Array.from(
            { length: 100 },
            (_, each) => `instance=${at + each}${'n'.repeat(length)}`,
          );
          client.send(paths.map((query) => `GET /v1/ids?${query} HTTP/1.1\r\n${AUTHORIZED}\r\n`).join(''));
          const responses = await client.next(100);
          expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([404]));
        }
      };
      await askFor(0, 300);
      collectGarbage();
      const usedBefore = process.memoryUsage().heapUsed;
      await askFor(300, names);
      collectGarbage();
      expect(process.memoryUsage().heapUsed - usedBefore).toBeLessThan((names * length) / 2);
      client.close();
    },
    WITHIN_MS,
  );

  it('allows no other origin to read its responses', async () => {
    const { url } = service;
    const origin = 'https://elsewhere.example';
    const preflight = await fetch(`${url}/v1/ids`, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST', connection: 'close' },
    });
    const answer = await send(service, 'v1/ids', { headers: { origin } });
    for (const { headers } of [preflight, answer]) {
      expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });
});
