import 'reflect-metadata';
import { type INestApplication, Module, type Type, ValidationPipe } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { Test } from '@nestjs/testing';
import { jest } from '@jest/globals';
import {
  InvalidIdError,
  LeaseExhaustedError,
  SnowflakeIdMaker,
  SnowflakeModule,
  staticLeaseStore,
  StoppedError,
} from 'nestjs-snowflake';
import type { AddressInfo } from 'node:net';
import { SnowflakeHealthIndicator } from 'nestjs-snowflake/terminus';
import { CLIENT_ID_OPTIONS } from '../../libs/snowflake/src/core/client-ids/client-id-reader.js';
import { PIPE_OPTIONS } from '../../libs/snowflake/src/adapters/http/parse-snowflake-id.pipe.js';
import { codeIn } from './markdown.js';
import { PageCode } from './page-code.js';

const ID = '382475217496248322';

const code = new PageCode('docs/guides/validation.md');
const { page } = code;

interface Answer {
  readonly status: number;
  readonly body: { readonly [name: string]: unknown };
  readonly retryAfter: string | null;
}

class Client {
  constructor(private readonly app: INestApplication) {}

  get(path: string): Promise<Answer> {
    return this.send(path, {});
  }

  /** @param body JSON text */
  post(path: string, body: string): Promise<Answer> {
    return this.send(path, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
  }

  private async send(path: string, init: RequestInit): Promise<Answer> {
    const { port } = this.app.getHttpServer().address() as AddressInfo;
    const response = await fetch(`http://127.0.0.1:${port}${path}`, init);
    const body = (await response.json()) as Answer['body'];
    return { status: response.status, body, retryAfter: response.headers.get('retry-after') };
  }
}

let app: INestApplication;
let client: Client;

beforeAll(async () => {
  const ErrorsModule = await code.run<Type>('errors.module.ts', 'ErrorsModule');
  await code.import('order.dto.ts');
  const OrdersController = await code.run<Type>('orders.controller.ts', 'OrdersController');
  const HealthController = await code.run<Type>('health.controller.ts', 'HealthController');
  @Module({
    imports: [
      SnowflakeModule.forRoot({ store: staticLeaseStore({ workerId: 7 }) }),
      TerminusModule.forRoot({ logger: false }),
      ErrorsModule,
    ],
    controllers: [OrdersController, HealthController],
    providers: [SnowflakeHealthIndicator],
  })
  class AppModule {}
  const module = await Test.createTestingModule({ imports: [AppModule] }).compile();
  app = module.createNestApplication({ logger: false });
  app.useGlobalPipes(new ValidationPipe({ whitelist: true, transform: true }));
  await app.listen(0, '127.0.0.1');
  client = new Client(app);
});

afterEach(() => jest.restoreAllMocks());
afterAll(async () => {
  await app?.close();
  code.remove();
});

/** Lets the maker throw in place of an ID. */
function failWith(error: Error): void {
  jest.spyOn(app.get(SnowflakeIdMaker), 'nextId').mockImplementation(() => {
    throw error;
  });
}

describe('the code of the page on validation', () => {
  it('accepts IDs in a body, a path and a query', async () => {
    const created = await client.post('/orders', `{"customerId":"${ID}"}`);
    expect(created).toMatchObject({ status: 201, body: { customerId: ID } });
    expect(await client.get(`/orders/${ID}`)).toMatchObject({
      status: 200,
      body: { id: ID, madeAt: '2026-11-21T10:19:57.897Z' },
    });
    expect(await client.get(`/orders?after=${ID}`)).toMatchObject({ status: 200, body: { after: ID } });
    expect(await client.get('/orders')).toMatchObject({ status: 200, body: { after: '0' } });
  });

  it('refuses others with 400, in the words of the page', async () => {
    const [shown = ''] = page.blocksIn('json').map(({ text }) => text);
    const { body } = await client.post('/orders', `{"customerId":${ID}}`);
    expect(body).toEqual(JSON.parse(shown));
    for (const path of ['/orders/abc', '/orders/01', '/orders?after=-1', '/orders?after=']) {
      expect(await client.get(path)).toMatchObject({ status: 400 });
    }
    expect(await client.post('/orders', '{}')).toMatchObject({ status: 400 });
    for (const productIds of [ID, Array.from({ length: 101 }, () => ID)]) {
      const order = JSON.stringify({ customerId: ID, productIds });
      expect(await client.post('/orders', order)).toMatchObject({ status: 400 });
    }
  });

  it.each([
    ['a retryable error', new LeaseExhaustedError(7, new Date()), 503],
    ['a stopped maker', new StoppedError(), 503],
    ['an ID that is checked too late', new InvalidIdError('abc', 'is not an ID'), 400],
  ])('answers as the page says: %s', async (_, error, status) => {
    failWith(error);
    const answer = await client.post('/orders', `{"customerId":"${ID}"}`);
    expect(answer).toMatchObject({ status, retryAfter: status === 503 ? '1' : null });
  });

  it('reports health', async () => {
    expect(await client.get('/health')).toMatchObject({ status: 200, body: { status: 'ok' } });
    jest.spyOn(app.get(SnowflakeIdMaker), 'canIssue', 'get').mockReturnValue(false);
    expect(await client.get('/health')).toMatchObject({ status: 503, body: { status: 'error' } });
  });

  it('lists every option of the checks', () => {
    const [shared, further] = page
      .tablesUnder('Options of the checks')
      .map(({ rows }) => rows.flatMap(([option = '']) => codeIn(option)));
    expect(shared?.sort()).toEqual(Object.keys(CLIENT_ID_OPTIONS).sort());
    expect([...(shared ?? []), ...(further ?? [])].sort()).toEqual(Object.keys(PIPE_OPTIONS).sort());
  });

  it('the spec has run every file of the page', () => {
    expect(code.notRun()).toEqual([]);
  });
});
