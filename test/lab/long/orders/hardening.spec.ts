import { Client } from 'pg';
import { waitFor } from '../../../support/wait.js';
import type { ErrorBody } from '../../../../apps/orders/test/support/orders-client.js';
import { OrdersProcess } from '../../../../apps/orders/test/support/orders-process.js';
import { makeSetUp, type SetUp } from '../../../../apps/orders/test/support/set-ups.js';

/** What the first failing check saw: its connection ended, a new one refused, or no answer in time. */
const REASON_OF_DOWN =
  /database is down: .*(terminating connection|Connection terminated|not queryable|ECONNRESET|EPIPE|is not currently accepting|timeout)/;

const LIMIT = 5;
const limited = { RATE_LIMIT_REQUESTS: String(LIMIT), RATE_LIMIT_WINDOW_MS: '3600000' };
const allowed = Array.from({ length: LIMIT }, () => 200);

/** Of all processes but the last one: with an empty database, the first start in production waits for a minute. */
let setUp: SetUp;
let orders: OrdersProcess;

beforeAll(async () => {
  setUp = await makeSetUp('SQLite', 'orders-hardening');
});
afterAll(() => setUp?.remove());

/** One process serves all tests of a block. */
function startWith(env: Record<string, string>): void {
  beforeAll(async () => {
    orders = await OrdersProcess.start({ ...setUp.env, ...env });
  });
  afterAll(() => orders?.stop());
}

const bodyOf = (bytes: number): string => JSON.stringify({ name: 'x'.repeat(bytes - 11) });

async function expectBodyLimit({ client }: OrdersProcess, limit: number): Promise<void> {
  expect((await client.post('/customers', bodyOf(limit))).status).toBe(400);
  const { status, body } = await client.post<ErrorBody>('/customers', bodyOf(limit + 1));
  expect({ status, body }).toEqual({
    status: 413,
    body: {
      statusCode: 413,
      message: `The request body is larger than ${limit} bytes`,
      error: 'Payload Too Large',
    },
  });
}

async function expectPages({ client, output }: OrdersProcess, docs: number, page: number): Promise<void> {
  expect((await client.get('/docs')).status).toBe(docs);
  expect((await client.get('/docs-json')).status).toBe(docs);
  expect(output.includes('/docs')).toBe(docs === 200);
  expect((await client.get('/snowflake/')).status).toBe(page);
  expect((await client.get('/snowflake/api/app')).status).toBe(page);
}

/** Returns the status of each of `count` requests of a client that names its own address. */
async function statuses(count: number, address = ''): Promise<number[]> {
  const found: number[] = [];
  for (let at = 0; at < count; at += 1) {
    const headers = { connection: 'close', ...(address && { 'x-forwarded-for': address }) };
    // Two endpoints, because a client has one count for all of them.
    const response = await fetch(`${orders.client.url}/${at % 2 ? 'orders' : 'products'}`, { headers });
    await response.text();
    found.push(response.status);
  }
  return found;
}

describe('the backend with its defaults [promise: secrets]', () => {
  startWith({});

  it("sends security headers and doesn't name its framework", async () => {
    for (const path of ['/health', '/products', '/ids/none', '/nowhere', '/docs']) {
      const { headers } = await orders.client.get(path);
      expect(Object.fromEntries(headers)).toMatchObject({
        'content-security-policy': expect.stringContaining("default-src 'self'"),
        'strict-transport-security': expect.stringContaining('max-age='),
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'SAMEORIGIN',
        'referrer-policy': 'no-referrer',
      });
      expect(headers.get('x-powered-by')).toBeNull();
    }
  });

  it('accepts bodies of at most 100 KiB', () => expectBodyLimit(orders, 102_400));

  it('refuses a body nested so deeply that reading it would fail', async () => {
    const deep = `{"name":${'['.repeat(40_000)}${']'.repeat(40_000)}}`;
    const { status, body } = await orders.client.post<ErrorBody>('/customers', deep);
    expect(status).toBe(400);
    expect(body.message).toEqual(['The request must not be nested deeper than 20 levels']);
  });

  it('hides addresses and the worker ID from clients', async () => {
    const { status, body } = await orders.client.untilHealthy();
    const parts = { database: { status: 'up' }, snowflake: { status: 'up' } };
    expect({ status, body }).toEqual({
      status: 200,
      body: { status: 'ok', info: parts, error: {}, details: parts },
    });
  });
});

describe('the backend in production, with other limits, details of its health and the API description [promise: secrets]', () => {
  startWith({
    NODE_ENV: 'production',
    API_DOCS: 'true',
    ...limited,
    RATE_LIMIT_REQUESTS: '0',
    BODY_LIMIT_BYTES: '2048',
    HEALTH_DETAILS: 'true',
  });

  it('serves the API description without the console', () => expectPages(orders, 200, 404));

  it('the limits of bodies and requests can be changed, and details of the health be shown (control)', async () => {
    const { client } = orders;
    expect(await statuses(3 * LIMIT)).toEqual([...allowed, ...allowed, ...allowed]);
    await expectBodyLimit(orders, 2_048);
    const { id } = await client.newCustomer('healthy');
    const { workerId } = (await client.get<{ workerId: number }>(`/ids/${id}`)).body;
    const { body } = await client.untilHealthy<{ details: object }>();
    expect(body.details).toMatchObject({
      snowflake: { status: 'up', state: 'active', workerId, windowLeftMs: expect.any(Number) },
    });
  });
});

describe('the backend in production, behind a proxy that it trusts [promise: secrets]', () => {
  startWith({ ...limited, NODE_ENV: 'production', TRUST_PROXY_HOPS: '1' });

  it('serves neither the API description nor the console', () => expectPages(orders, 404, 404));

  it('the rate limit counts by the address that a trusted proxy reports', async () => {
    expect(await statuses(LIMIT + 1, '192.0.2.1')).toEqual([...allowed, 429]);
    expect(await statuses(LIMIT + 1, '192.0.2.2')).toEqual([...allowed, 429]);
  });
});

describe('the backend with a rate limit, without a proxy [promise: secrets]', () => {
  startWith(limited);

  it('the rate limit responds with 429 and Retry-After whatever address a client names, but never to health checks', async () => {
    expect(await statuses(LIMIT + 2)).toEqual([...allowed, 429, 429]);
    expect(await statuses(1, '192.0.2.1')).toEqual([429]);
    const refused = await orders.client.get<ErrorBody>('/products');
    expect(refused.body).toEqual({
      statusCode: 429,
      message: expect.stringMatching(/^Too many requests: at most 5 in 3600000 ms\. Try again in \d+ s\.$/),
      error: 'Too Many Requests',
    });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    for (let at = 0; at < 2 * LIMIT; at += 1) {
      // 503 is the answer while the machine stalls.
      expect([200, 503]).toContain((await orders.client.get('/health')).status);
    }
  });
});

describe('the backend on PostgreSQL and Redis, without the API description [promise: secrets]', () => {
  let own: SetUp;

  beforeAll(async () => {
    own = await makeSetUp('PostgreSQL + Redis', 'orders-health');
    orders = await OrdersProcess.start({ ...own.env, API_DOCS: 'false' });
  });
  afterAll(async () => {
    await orders?.stop();
    await own?.remove();
  });

  it('serves the console without the API description', () => expectPages(orders, 404, 200));

  it('/health hides why the database is down, and logs it once', async () => {
    const url = new URL(own.env['DATABASE_URL']!);
    const name = url.pathname.slice(1);
    url.pathname = '/postgres';
    const admin = new Client({ connectionString: url.href });
    await admin.connect();
    try {
      await admin.query(`ALTER DATABASE "${name}" ALLOW_CONNECTIONS false`);
      await admin.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1`, [name]);
      const down = await waitFor('the database to be down', 60_000, async () => {
        const answer = await orders.client.get<{ details: object }>('/health');
        return answer.status === 503 && answer;
      });
      expect(down.text).not.toContain(name);
      expect(down.body.details).toEqual({ database: { status: 'down' }, snowflake: { status: 'up' } });
      for (let at = 0; at < 3; at += 1) expect((await orders.client.get('/health')).status).toBe(503);
      // The log comes by another way than the answers.
      await orders.untilPrinted('database is down: ');
      expect(orders.output.split('database is down').length - 1).toBe(1);
      expect(orders.output).toMatch(REASON_OF_DOWN);
    } finally {
      await admin.query(`ALTER DATABASE "${name}" ALLOW_CONNECTIONS true`);
      await admin.end();
    }
    await orders.client.untilHealthy();
    await orders.untilPrinted('database is up');
  });
});
