import type { INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { SnowflakeIdMaker } from 'nestjs-snowflake';
import { AppModule } from '../src/app.module.js';
import type { Order } from '../src/schema.js';

describe('orders (e2e)', () => {
  let app: INestApplication;

  beforeEach(async () => {
    const module = await Test.createTestingModule({
      imports: [AppModule],
    }).compile();
    app = module.createNestApplication();
    await app.listen(0);
  });

  it('inserts orders, and reads their IDs as strings', async () => {
    const url = `${await app.getUrl()}/orders`;
    const created = await fetch(url, { method: 'POST' });
    const order = (await created.json()) as Order;
    expect(order).toEqual({
      id: expect.stringMatching(/^\d{15,19}$/),
      customerId: expect.stringMatching(/^\d{15,19}$/),
    });
    const found = await fetch(`${url}/${order.id}`);
    expect(await found.json()).toEqual(order);
    const maker = app.get(SnowflakeIdMaker);
    expect(maker.decode(order.id).workerId).toBe(maker.status().workerId);
  });

  afterEach(async () => {
    await app.close();
  });
});
