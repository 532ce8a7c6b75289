import 'reflect-metadata';
import { Module, type Type, ValidationPipe } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { TerminusModule } from '@nestjs/terminus';
import { jest } from '@jest/globals';
import { SnowflakeIdMaker, SnowflakeModule, staticLeaseStore } from 'nestjs-snowflake';
import { SnowflakeExceptionFilter } from 'nestjs-snowflake/http';
import { SnowflakeHealthIndicator } from 'nestjs-snowflake/terminus';
import * as v from 'valibot';
import { z } from 'zod';
import { HttpApp, PLATFORMS } from '../adapters/http-apps.js';
import { CLIENT_ID_OPTIONS } from '../../libs/snowflake/src/core/client-ids/client-id-reader.js';
import { PIPE_OPTIONS } from '../../libs/snowflake/src/adapters/http/parse-snowflake-id.pipe.js';
import { codeIn } from './markdown.js';
import type { CodeProject } from './code-project.js';
import { PageCode, testThatAllHaveRun } from './page-code.js';

const ID = '382475217496248322';
const ROUNDED = '382475217496248300';
const NUMBER = "is a JSON number, which can't hold 64 bits exactly";

const code = new PageCode('docs/guides/validation.md');
const { page } = code;

let app: HttpApp;

beforeAll(async () => {
  await code.import('order.dto.ts');
  const OrdersController = await code.run<Type>('orders.controller.ts', 'OrdersController');
  const HealthController = await code.run<Type>('health.controller.ts', 'HealthController');
  @Module({
    imports: [
      SnowflakeModule.forRoot({ store: staticLeaseStore({ workerId: 7 }) }),
      TerminusModule.forRoot({ logger: false }),
    ],
    controllers: [OrdersController, HealthController],
    providers: [SnowflakeHealthIndicator, { provide: APP_FILTER, useClass: SnowflakeExceptionFilter }],
  })
  class AppModule {}
  app = await HttpApp.start('Express', AppModule, (nest) =>
    nest.useGlobalPipes(new ValidationPipe({ whitelist: true, transform: true })),
  );
});

afterEach(() => jest.restoreAllMocks());
afterAll(() => app?.stop());

describe('the code of the page on validation', () => {
  it('accepts IDs in a body, a path and a query', async () => {
    const created = await app.post('/orders', `{"customerId":"${ID}"}`);
    expect(created).toMatchObject({ status: 201, body: { customerId: ID } });
    expect(await app.get(`/orders/${ID}`)).toMatchObject({
      status: 200,
      body: { id: ID, madeAt: '2026-11-21T10:19:57.897Z' },
    });
    expect(await app.get(`/orders?after=${ID}`)).toMatchObject({ status: 200, body: { after: ID } });
    expect(await app.get('/orders')).toMatchObject({ status: 200, body: { after: '0' } });
  });

  it('refuses others with 400, in the words of the page', async () => {
    const [shown = ''] = page.blocksIn('json').map(({ text }) => text);
    const { body } = await app.post('/orders', `{"customerId":${ID}}`);
    expect(body).toEqual(JSON.parse(shown));
    for (const path of ['/orders/abc', '/orders/01', '/orders?after=-1', '/orders?after=']) {
      expect(await app.get(path)).toMatchObject({ status: 400 });
    }
    expect(await app.post('/orders', '{}')).toMatchObject({ status: 400 });
    for (const productIds of [ID, Array.from({ length: 101 }, () => ID)]) {
      const order = JSON.stringify({ customerId: ID, productIds });
      expect(await app.post('/orders', order)).toMatchObject({ status: 400 });
    }
  });

  it('reports health', async () => {
    expect(await app.get('/health')).toMatchObject({ status: 200, body: { status: 'ok' } });
    jest.spyOn(app.app.get(SnowflakeIdMaker), 'canIssue', 'get').mockReturnValue(false);
    expect(await app.get('/health')).toMatchObject({ status: 503, body: { status: 'error' } });
  });

  it('lists every option of the checks', () => {
    const [shared, further] = page
      .tablesUnder('Options')
      .map(({ rows }) => rows.flatMap(([option = '']) => codeIn(option)));
    expect(shared?.sort()).toEqual(Object.keys(CLIENT_ID_OPTIONS).sort());
    expect([...(shared ?? []), ...(further ?? [])].sort()).toEqual(Object.keys(PIPE_OPTIONS).sort());
  });
});

describe.each(['zod', 'valibot'])('the schema of %s', (library) => {
  const IMPORTED = './create-order.zod.js';
  let project: CodeProject;
  beforeAll(async () => {
    await code.import(`create-order.${library}.ts`);
    await code.import('orders-by-schema.module.ts');
    expect(page.blocksIn('ts').filter(({ text }) => text.includes(IMPORTED))).toHaveLength(1);
    project = code.changed((text) => text.replace(IMPORTED, `./create-order.${library}.js`));
  });

  describe.each(PLATFORMS)('in an app on %s', (platform) => {
    let schemaApp: HttpApp;
    beforeAll(async () => {
      const root = await project.run<Type>('orders-by-schema.module.ts', 'OrdersModule');
      schemaApp = await HttpApp.start(platform, root);
    });
    afterAll(() => schemaApp?.stop());

    it('accepts IDs', async () => {
      expect(await schemaApp.get(`/orders/${ID}`)).toMatchObject({ status: 200, body: { id: ID } });
      for (const body of [{ customerId: ID }, { customerId: '1', productIds: ['1', ID] }]) {
        expect(await schemaApp.post('/orders', JSON.stringify(body))).toMatchObject({ status: 201, body });
      }
    });

    it('refuses JSON numbers with the reason', async () => {
      const body = `{"customerId":${ID},"productIds":["1",${ID}]}`;
      expect(await schemaApp.post('/orders', body)).toMatchObject({
        status: 400,
        body: {
          message: ['customerId', 'productIds.1'].map((name) =>
            expect.stringMatching(new RegExp(`^${name}: The value .* it ${NUMBER}`)),
          ),
        },
      });
    });

    it('refuses what is not an ID', async () => {
      const message = [expect.stringMatching(/not a valid ID: it .* Send the ID as the API returned it/)];
      expect(await schemaApp.get('/orders/12x')).toMatchObject({ status: 400, body: { message } });
      for (const value of ['"12x"', '"-1"', '""', 'null', '{}', '[]', 'true', '"9223372036854775808"']) {
        const order = `{"customerId":${value},"productIds":[]}`;
        expect(await schemaApp.post('/orders', order)).toMatchObject({ status: 400, body: { message } });
      }
      expect(await schemaApp.post('/orders', '{"productIds":[]}')).toMatchObject({ status: 400 });
      const many = JSON.stringify({ customerId: ID, productIds: Array.from({ length: 101 }, () => ID) });
      expect(await schemaApp.post('/orders', many)).toMatchObject({ status: 400 });
    });
  });
});

describe('schemas', () => {
  it('the schema of zod describes strings', async () => {
    const { snowflakeId } = await code.import<{ snowflakeId: z.ZodString }>('create-order.zod.ts');
    const schema = z.object({ id: snowflakeId });
    const json = { properties: { id: { type: 'string', format: 'snowflake-id' } }, required: ['id'] };
    expect(z.toJSONSchema(schema)).toMatchObject(json);
    expect(z.toJSONSchema(schema, { io: 'input' })).toMatchObject(json);
  });

  it('coercion and plain strings accept rounded IDs (control)', () => {
    expect(z.coerce.string().parse(Number(ID))).toBe(ROUNDED);
    expect(v.parse(v.pipe(v.unknown(), v.transform(String)), Number(ID))).toBe(ROUNDED);
    expect(z.string().parse('12x')).toBe('12x');
  });
});

testThatAllHaveRun(code);
