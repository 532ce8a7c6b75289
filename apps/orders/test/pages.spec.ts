import { request } from 'node:http';
import { startedApp } from '../../shared/test/support/started-app.js';
import type { OrderBody, OrdersClient } from './support/orders-client.js';
import { OrdersProcess } from './support/orders-process.js';
import { makeSetUp, type SetUp } from './support/set-ups.js';

interface Schema {
  type?: string;
  pattern?: string;
  properties?: Record<string, Schema>;
}

interface Description {
  paths: Record<string, Record<string, { parameters: { name: string; in: string; schema: Schema }[] }>>;
  components: { schemas: Record<string, Schema> };
}

interface GraphqlBody {
  readonly data?: {
    readonly order: { readonly id: string; readonly customerId: string; readonly total: string };
  };
  readonly errors?: { readonly message: string; readonly extensions: Record<string, unknown> }[];
}

const ORDER = 'query Order($id: SnowflakeID!) { order(id: $id) { id customerId createdAt total } }';

/** What the description states for every ID. */
const PATTERN = '^(0|[1-9][0-9]{0,18})$';

const ask = async (client: OrdersClient, query: string, variables = {}): Promise<GraphqlBody> =>
  (await client.post<GraphqlBody>('/graphql', { query, variables })).body;

/** Returns the status of the console for a client that came by this name of the server, as a rebound DNS name does. */
function statusOfConsole({ url }: OrdersClient, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(`${url}/snowflake/`, { headers: { host, connection: 'close' } }, (answer) =>
      resolve(answer.resume().statusCode),
    )
      .on('error', reject)
      .end();
  });
}

let setUp: SetUp;

beforeAll(async () => {
  setUp = await makeSetUp('SQLite', 'orders-pages');
});
afterAll(() => setUp?.remove());

describe('the orders backend with its defaults', () => {
  let client: OrdersClient;
  const orders = startedApp(() => OrdersProcess.spawn(setUp.env));
  beforeAll(() => void ({ client } = orders()));

  it('serves the API description as a page with its script', async () => {
    const page = await client.get<string>('/docs');
    expect(page.status).toBe(200);
    expect(page.body).toContain('swagger-ui');
    const script = await client.get('/docs/swagger-ui-bundle.js');
    expect(script.status).toBe(200);
  });

  it('serves the API description with security headers under which a browser can show it', async () => {
    const { body, headers } = await client.get<string>('/docs');
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("script-src 'self'");
    // The server has no TLS.
    expect(policy).not.toContain('upgrade-insecure-requests');
    const scripts = [...body.matchAll(/<script\b([^>]*)>([^<]*)/g)];
    expect(scripts.length).toBeGreaterThan(0);
    for (const [, attributes, text] of scripts) {
      expect(attributes).toMatch(/\bsrc="\.\//);
      expect(text?.trim()).toBe('');
    }
  });

  it('lists every endpoint in the API description', async () => {
    const { body } = await client.get<Description>('/docs-json');
    const endpoints = Object.entries(body.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );
    expect(endpoints.sort()).toEqual([
      'get /customers/{id}',
      'get /health',
      'get /ids/{id}',
      'get /invoices/{id}',
      'get /orders',
      'get /orders/{id}',
      'get /products',
      'get /tickets/{number}',
      'post /customers',
      'post /invoices',
      'post /orders',
      'post /tickets',
    ]);
  });

  it('describes every ID in the API description as a string of digits', async () => {
    const { body } = await client.get<Description>('/docs-json');
    const properties = Object.entries(body.components.schemas).flatMap(([schema, { properties: all = {} }]) =>
      Object.entries(all).map(([property, description]) => ({ name: `${schema}.${property}`, description })),
    );
    const parameters = Object.entries(body.paths).flatMap(([path, methods]) =>
      Object.values(methods).flatMap((method) =>
        method.parameters.map(({ name, schema }) => ({ name: `${path}.${name}`, description: schema })),
      ),
    );
    const ids = [...properties, ...parameters].filter(({ name }) =>
      /\.(id|after|next|customerId)$/.test(name),
    );
    expect(ids.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['OrderDto.id', 'CreateOrderDto.customerId', '/orders.after', '/ids/{id}.id']),
    );
    for (const { name, description } of ids) {
      expect({ name, ...description }).toMatchObject({
        name,
        type: 'string',
        pattern: PATTERN,
      });
    }
  });

  it('returns an order through GraphQL with IDs as strings', async () => {
    const customer = await client.newCustomer('ada');
    const lines = [{ sku: 'BOOK-1', quantity: 2, unitPrice: '19.90' }];
    const { body: order } = await client.post<OrderBody>('/orders', { customerId: customer.id, lines });
    expect(await ask(client, ORDER, { id: order.id })).toEqual({
      data: { order: { id: order.id, customerId: customer.id, createdAt: order.createdAt, total: '39.80' } },
    });
  });

  it('refuses a number as an ID in GraphQL, because it may be rounded', async () => {
    const { errors } = await ask(client, '{ order(id: 382475217496248322) { id } }');
    expect(errors).toEqual([
      expect.objectContaining({
        extensions: expect.objectContaining({ snowflakeCode: 'SNOWFLAKE_INVALID_ID' }),
      }),
    ]);
  });

  it('reports a missing order through GraphQL without a stack trace', async () => {
    const { errors } = await ask(client, ORDER, { id: '1' });
    expect(errors).toEqual([expect.objectContaining({ message: 'There is no order 1' })]);
    expect(JSON.stringify(errors)).not.toContain('node_modules');
  });

  it('serves a console that finds the ID maker, the segments and the series of the app', async () => {
    const page = await client.get<string>('/snowflake/');
    expect(page.status).toBe(200);
    expect(page.body).toContain('<div id="root">');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    const { body } = await client.get<{ makers: { name: string }[] }>('/snowflake/api/app');
    expect(body).toMatchObject({ makers: [{ name: 'default' }], segments: true, series: true });
    const { body: rules } = await client.get('/snowflake/api/series');
    expect(rules).toEqual({
      series: [{ name: 'invoice', format: 'INV-{year}-{number:5}', resets: 'year', zone: 'Europe/Berlin' }],
    });
  });

  it('serves the console under its own name only', async () => {
    expect(await statusOfConsole(client, 'localhost:3000')).toBe(200);
    expect(await statusOfConsole(client, 'rebound.example')).toBe(421);
  });
});

/** On the database of the tests above: on an empty one, the first start in production waits for a minute. */
describe('the orders backend in production, with a console and a limit of 20 requests', () => {
  let client: OrdersClient;
  const orders = startedApp(() => {
    const env = { NODE_ENV: 'production', CONSOLE: 'true', RATE_LIMIT_REQUESTS: '20' };
    // A window that outlasts the spec, so that the count does not begin anew between two requests.
    return OrdersProcess.spawn({ ...setUp.env, ...env, RATE_LIMIT_WINDOW_MS: '3600000' });
  });
  beforeAll(() => void ({ client } = orders()));

  it('serves the console under every name once an operator has opened it', async () => {
    expect(await statusOfConsole(client, 'localhost:3000')).toBe(200);
    expect(await statusOfConsole(client, 'rebound.example')).toBe(200);
  });

  it('counts requests of GraphQL like those of other endpoints, and none of Prometheus', async () => {
    await client.newCustomer('grace');
    for (let sent = 0; sent < 20; sent++) await ask(client, ORDER, { id: '1' });
    const { errors } = await ask(client, ORDER, { id: '1' });
    expect(errors?.[0]?.message).toContain('Too many requests');
    expect((await client.get('/products')).status).toBe(429);

    const metrics = await client.get<string>('/metrics');
    expect(metrics.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(metrics.body).toContain('snowflake_ids_issued_total{snowflake_instance="default"} 1');
  });
});
