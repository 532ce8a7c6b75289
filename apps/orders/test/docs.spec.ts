import { SNOWFLAKE_ID_SCHEMA } from 'nestjs-snowflake/swagger';
import type { OrdersClient } from './support/orders-client.js';
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

describe('the API description', () => {
  let setUp: SetUp;
  let orders: OrdersProcess;
  let client: OrdersClient;

  beforeAll(async () => {
    setUp = await makeSetUp('SQLite', 'orders-docs');
    orders = await OrdersProcess.start(setUp.env);
    client = orders.client;
  });

  afterAll(async () => {
    await orders?.stop();
    await setUp?.remove();
  });

  it('is a page for people', async () => {
    const page = await client.get<string>('/docs');
    expect(page.status).toBe(200);
    expect(page.body).toContain('swagger-ui');
    const script = await client.get('/docs/swagger-ui-bundle.js');
    expect(script.status).toBe(200);
  });

  it('is a page that a browser can show with the security headers', async () => {
    const { body, headers } = await client.get<string>('/docs');
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("script-src 'self'");
    // The server speaks HTTP.
    expect(policy).not.toContain('upgrade-insecure-requests');
    const scripts = [...body.matchAll(/<script\b([^>]*)>([^<]*)/g)];
    expect(scripts.length).toBeGreaterThan(0);
    for (const [, attributes, text] of scripts) {
      expect(attributes).toMatch(/\bsrc="\.\//);
      expect(text?.trim()).toBe('');
    }
  });

  it('lists every endpoint', async () => {
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

  it('describes every ID as a string of digits', async () => {
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
        pattern: SNOWFLAKE_ID_SCHEMA.pattern,
      });
    }
  });
});
