import { INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { SnowflakeIdMaker } from 'nestjs-snowflake';
import request from 'supertest';
import { App } from 'supertest/types';
import { AppModule } from './../src/app.module';

describe('orders (e2e)', () => {
  let app: INestApplication<App>;

  beforeEach(async () => {
    const module = await Test.createTestingModule({ imports: [AppModule] }).compile();
    app = module.createNestApplication();
    await app.init();
  });
  afterEach(() => app.close());

  it('inserts orders under IDs of the worker', async () => {
    const { body } = await request(app.getHttpServer()).post('/orders').expect(201);
    expect(app.get(SnowflakeIdMaker).decode(body.id).workerId).toBe(1);
    await request(app.getHttpServer()).get('/orders').expect(200).expect([body]);
  });
});
