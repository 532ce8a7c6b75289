import { Test, TestingModule } from '@nestjs/testing';
import { INestApplication } from '@nestjs/common';
import { InjectSnowflake, SnowflakeIdMaker } from 'nestjs-snowflake';
import request from 'supertest';
import { App } from 'supertest/types';
import { AppModule } from './../src/app.module';
import { Order } from './../src/order.entity';

class Reports {
  constructor(@InjectSnowflake() readonly ids: SnowflakeIdMaker) {}
}

describe('orders (e2e)', () => {
  let app: INestApplication<App>;

  beforeEach(async () => {
    const moduleFixture: TestingModule = await Test.createTestingModule({
      imports: [AppModule],
      providers: [Reports],
    }).compile();

    app = moduleFixture.createNestApplication();
    await app.init();
  });

  it('inserts orders, and reads their IDs as strings', async () => {
    const created = await request(app.getHttpServer())
      .post('/orders')
      .expect(201);
    const order = created.body as Order;
    expect(order).toEqual({
      id: expect.stringMatching(/^\d{15,19}$/) as string,
      customerId: expect.stringMatching(/^\d{15,19}$/) as string,
    });
    await request(app.getHttpServer())
      .get(`/orders/${order.id}`)
      .expect(200)
      .expect(order);
    const { ids } = app.get(Reports);
    expect(ids.decode(order.id).workerId).toBe(ids.status().workerId);
  });

  afterEach(async () => {
    await app.close();
  });
});
