import 'reflect-metadata';
import type { Type } from '@nestjs/common';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import { snowflakeIdSchema } from 'nestjs-snowflake/http';
import * as v from 'valibot';
import { z } from 'zod';
import { HttpApp, PLATFORMS } from '../adapters/http-apps.js';
import { PageCode } from './page-code.js';

const ID = '382475217496248322';
const ROUNDED = '382475217496248300';
const NUMBER = "is a JSON number, which can't hold 64 bits exactly";

const code = new PageCode('docs/guides/validation.md');
let OrdersModule: Type;
beforeAll(async () => {
  await code.import('snowflake-id.zod.ts');
  await code.import('create-order.ts');
  await code.import('snowflake-id.valibot.ts');
  await code.import('create-invoice.ts');
  await code.import('orders.controller.ts');
  OrdersModule = await code.run<Type>('orders.module.ts', 'OrdersModule');
});
afterAll(() => code.remove());

describe.each(PLATFORMS)('the code of the page on schemas on %s', (platform) => {
  let app: HttpApp;
  beforeAll(async () => {
    app = await HttpApp.start(platform, OrdersModule);
  });
  afterAll(() => app?.stop());

  it('passes the schema to Nest, which answers in the words of the page', async () => {
    expect(await app.get(`/orders/${ID}`)).toMatchObject({ status: 200, body: { id: ID } });
    const [shown = ''] = code.page.blocksIn('json').map(({ text }) => text);
    expect(await app.get('/orders/12x')).toMatchObject({ status: 400, body: JSON.parse(shown) as object });
  });

  it.each([
    ['zod', '/orders', { customerId: ID, parentId: ID, productIds: ['1', ID] }],
    ['valibot', '/invoices', { orderId: ID, payerId: '1' }],
  ])('accepts IDs in an object of %s', async (_, path, body) => {
    expect(await app.post(path, JSON.stringify(body))).toMatchObject({ status: 201, body });
  });

  it.each([
    ['zod', '/orders', `{"customerId":${ID},"productIds":["1",${ID}]}`, ['customerId', 'productIds.1']],
    ['valibot', '/invoices', `{"orderId":${ID},"payerId":7}`, ['orderId', 'payerId']],
  ])('refuses JSON numbers in an object of %s, with the reason', async (_, path, body, names) => {
    expect(await app.post(path, body)).toMatchObject({
      status: 400,
      body: {
        message: names.map((name) =>
          expect.stringMatching(new RegExp(`^${name}: The value .* it ${NUMBER}`)),
        ),
      },
    });
  });

  it.each([
    ['zod', '/orders', 'customerId'],
    ['valibot', '/invoices', 'orderId'],
  ])('refuses what is not an ID in an object of %s', async (_, path, name) => {
    for (const value of ['"12x"', '"-1"', '""', 'null', '{}', '[]', 'true', '"9223372036854775808"']) {
      expect(await app.post(path, `{"${name}":${value},"productIds":[]}`)).toMatchObject({
        status: 400,
        body: {
          message: [expect.stringMatching(/not a valid ID: it .* Send the ID as the API returned it/)],
        },
      });
    }
    expect(await app.post(path, '{"productIds":[]}')).toMatchObject({ status: 400 });
  });
});

describe('the schemas of the page', () => {
  it('the schemas describe strings', async () => {
    const { snowflakeId } = await code.import<{ snowflakeId: z.ZodString }>('snowflake-id.zod.ts');
    const schema = z.object({ id: snowflakeId });
    const json = { properties: { id: { type: 'string', format: 'snowflake-id' } }, required: ['id'] };
    expect(z.toJSONSchema(schema)).toMatchObject(json);
    expect(z.toJSONSchema(schema, { io: 'input' })).toMatchObject(json);
  });

  it('the schema for public IDs reads them', async () => {
    const { orderId } = await code.import<{ orderId: z.ZodType<string> }>('order-id.zod.ts');
    expect(orderId.parse('ord_0SFjugjHF10')).toBe(ID);
    for (const value of [ID, Number(ID), null, undefined]) {
      expect(orderId.safeParse(value).error?.issues).toMatchObject([
        { message: expect.stringContaining('is not a valid ID') },
      ]);
    }
  });

  it('coercion and plain strings accept rounded IDs (control)', () => {
    expect(z.coerce.string().parse(Number(ID))).toBe(ROUNDED);
    expect(v.parse(v.pipe(v.unknown(), v.transform(String)), Number(ID))).toBe(ROUNDED);
    expect(z.string().parse('12x')).toBe('12x');
  });

  it('the spec has run every file of the page', () => {
    expect(code.notRun()).toEqual([]);
  });
});

describe('snowflakeIdSchema()', () => {
  it('has the types of Standard Schema', async () => {
    const schema: StandardSchemaV1<string, string> = snowflakeIdSchema();
    expect(schema['~standard']).toMatchObject({ version: 1, vendor: 'nestjs-snowflake' });
    expect(await schema['~standard'].validate(ID)).toEqual({ value: ID });
    expect((await schema['~standard'].validate(7)).issues).toHaveLength(1);
  });
});
