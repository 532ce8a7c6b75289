import type { NestExpressApplication } from '@nestjs/platform-express';
import { Test } from '@nestjs/testing';
import { SnowflakeIdMaker } from 'nestjs-snowflake';
import { bigintsAsText } from 'nestjs-snowflake/http';
import { AppModule } from '../src/app.module.js';

const ID: unknown = expect.stringMatching(/^\d{15,19}$/);

/** An order, as a client reads it. */
interface Order {
  readonly id: string;
  readonly lines: readonly { readonly id: string }[];
}

describe('orders (e2e)', () => {
  let app: NestExpressApplication;

  beforeEach(async () => {
    const module = await Test.createTestingModule({
      imports: [AppModule],
    }).compile();
    app = module.createNestApplication<NestExpressApplication>();
    bigintsAsText(app);
    await app.listen(0);
  });

  it('inserts orders with lines, and reads their IDs as strings', async () => {
    const url = `${await app.getUrl()}/orders`;
    const created = await fetch(url, { method: 'POST' });
    const order = (await created.json()) as Order;
    expect(order).toEqual({
      id: ID,
      customerId: ID,
      lines: [{ id: ID, sku: 'CATALOG', orderId: order.id }],
    });
    const found = await fetch(`${url}/${order.id}`);
    expect(await found.json()).toEqual(order);
    const maker = app.get(SnowflakeIdMaker);
    const { workerId } = maker.status();
    for (const { id } of [order, ...order.lines]) expect(maker.decode(id).workerId).toBe(workerId);
  });

  afterEach(async () => {
    await app.close();
  });
});
