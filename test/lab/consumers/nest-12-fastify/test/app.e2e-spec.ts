import {
  FastifyAdapter,
  type NestFastifyApplication,
} from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { SnowflakeIdMaker } from 'nestjs-snowflake';
import { AppModule } from '../src/app.module.js';
import { Order } from '../src/order.entity.js';

describe('orders (e2e)', () => {
  let app: NestFastifyApplication;

  beforeEach(async () => {
    const module = await Test.createTestingModule({
      imports: [AppModule],
    }).compile();
    app = module.createNestApplication<NestFastifyApplication>(
      new FastifyAdapter(),
    );
    await app.init();
  });

  it('inserts orders, and reads their IDs as strings', async () => {
    const created = await app.inject({ method: 'POST', url: '/orders' });
    const order = created.json<Order>();
    expect(order).toEqual({
      id: expect.stringMatching(/^\d{15,19}$/),
      customerId: expect.stringMatching(/^\d{15,19}$/),
    });
    const found = await app.inject({
      method: 'GET',
      url: `/orders/${order.id}`,
    });
    expect(found.json()).toEqual(order);
    const ids = app.get(SnowflakeIdMaker);
    expect(ids.decode(order.id).workerId).toBe(ids.status().workerId);
  });

  afterEach(async () => {
    await app.close();
  });
});
