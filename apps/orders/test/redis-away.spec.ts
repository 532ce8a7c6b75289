import { Controller, Get, type INestApplication, Post } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { type HealthIndicatorResult, TerminusModule } from '@nestjs/terminus';
import { Test } from '@nestjs/testing';
import { LeaseExhaustedError, SnowflakeIdMaker, SnowflakeModule } from 'nestjs-snowflake';
import { SnowflakeExceptionFilter } from 'nestjs-snowflake/http';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { SnowflakeHealthIndicator } from 'nestjs-snowflake/terminus';
import type { AddressInfo } from 'node:net';
import { type RedisServer, startRedis } from '../../../test/support/servers/index.js';
import { waitFor } from '../../../test/support/wait.js';
import { type ErrorBody, OrdersClient } from './support/orders-client.js';

@Controller()
class OneIdController {
  constructor(
    private readonly ids: SnowflakeIdMaker,
    private readonly indicator: SnowflakeHealthIndicator,
  ) {}

  @Post('one')
  one(): { id: string } {
    return { id: this.ids.nextId() };
  }

  @Get('state')
  state(): HealthIndicatorResult {
    return this.indicator.readiness('snowflake');
  }
}

describe('while Redis is away', () => {
  let redis: RedisServer;
  let app: INestApplication;
  let client: OrdersClient;

  beforeAll(async () => {
    redis = await startRedis();
    const module = await Test.createTestingModule({
      imports: [
        TerminusModule,
        SnowflakeModule.forRoot({
          store: redisLeaseStore({ url: redis.url, namespace: 'orders' }),
          // Few IDs per tick, to use up the window's reserve quickly.
          layout: { workerBits: 10, sequenceBits: 4 },
          // The bound on a call that follows from the window is too short for a slow machine.
          lease: { windowMs: 4_000, maxSkewMs: 1_000, callTimeoutMs: 500, possibleLoss: 'ignore' },
        }),
      ],
      controllers: [OneIdController],
      providers: [SnowflakeHealthIndicator, { provide: APP_FILTER, useClass: SnowflakeExceptionFilter }],
    }).compile();
    app = module.createNestApplication({ logger: false });
    await app.listen(0, '127.0.0.1');
    client = new OrdersClient(`http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}`);
  });

  afterAll(async () => {
    await app?.close();
    await redis?.stop();
  });

  const state = async (): Promise<string> => {
    const { body } = await client.get<{ snowflake: { status: string } }>('/state');
    return body.snowflake.status;
  };

  function useUp(ids: SnowflakeIdMaker): void {
    for (let made = 0; made < 1_000_000; made += 1) ids.nextBigInt();
  }

  it('goes from up to degraded to down, responds with 503 and Retry-After, and recovers', async () => {
    await waitFor('a renewed lease', 60_000, async () => (await state()) === 'up');
    expect((await client.post('/one', {})).status).toBe(201);

    await redis.kill();
    await waitFor('the lease to run on reserve', 60_000, async () => (await state()) !== 'up');
    expect(await state()).toBe('degraded');
    expect(() => useUp(app.get(SnowflakeIdMaker))).toThrow(LeaseExhaustedError);
    expect(await state()).toBe('down');
    const refused = await client.post<ErrorBody>('/one', {});
    expect(refused.status).toBe(503);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused.body.message).toBe("The server can't make IDs right now. Send the request again.");

    await redis.restart();
    await waitFor('the lease to be back', 60_000, async () => (await state()) === 'up');
    expect((await client.post('/one', {})).status).toBe(201);
  });
});
