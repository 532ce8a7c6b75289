import 'reflect-metadata';
import type { DynamicModule, INestApplicationContext, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import { SnowflakeIdMaker } from 'nestjs-snowflake';
import { DataSource } from 'typeorm';
import { type HeldLeases, heldInPostgres, heldInRedis } from '../lab/consumers/held-leases.js';
import { databaseFor, type RedisServer, startRedis } from '../support/servers/index.js';
import { CodeProject } from './code-project.js';
import { quickStarts } from './quick-starts.js';

interface Order {
  readonly id: string;
  readonly customerId: string;
}

interface OrdersService {
  create(customerId: string): Promise<Order>;
  madeBetween(first: Date, last: Date): Promise<Order[]>;
  newCustomerId(): string;
}

const { sql, redis: withRedis } = quickStarts();
const sqlProject = new CodeProject(sql);
const redisProject = new CodeProject(withRedis);

let redis: RedisServer;

beforeAll(async () => {
  redis = await startRedis();
  process.env.REDIS_URL = redis.url;
});

afterAll(async () => {
  await redis?.stop();
  sqlProject.remove();
  redisProject.remove();
});

const boot = (root: Type | DynamicModule): Promise<INestApplicationContext> =>
  NestFactory.createApplicationContext(root, { logger: false, abortOnError: false });

/** Boots the app of a quick start, inserts orders and stops it. Returns the worker IDs that are still leased. */
async function heldAfterTryingOut(project: CodeProject, held: HeldLeases): Promise<number[]> {
  const { OrdersService: Service } =
    await project.import<Record<'OrdersService', Type<OrdersService>>>('orders.service.ts');
  const { AppModule } = await project.import<Record<'AppModule', Type>>('app.module.ts');
  const app = await boot({ ...ScheduleModule.forRoot(), imports: [AppModule] });
  const ids = app.get(SnowflakeIdMaker);
  try {
    const orders = app.get(Service);
    const before = new Date(Date.now() - 60_000);
    const customerId = orders.newCustomerId();
    const made = [await orders.create(customerId), await orders.create(customerId)];
    expect(await orders.madeBetween(before, new Date(Date.now() + 60_000))).toEqual(made);
    expect(await orders.madeBetween(new Date(0), before)).toEqual([]);
    expect(await app.get(DataSource).query('SELECT id FROM orders ORDER BY id')).toEqual(
      made.map(({ id }) => ({ id })),
    );
    expect(ids.decode(made[0]!.id)).toMatchObject({ id: made[0]!.id, workerId: 0 });
    expect(app.get(SchedulerRegistry).getIntervals()).toContain('snowflake:lease:default');
    expect(await held()).toEqual([0]);
  } finally {
    await app.close();
  }
  expect(ids.status().state).toBe('stopped');
  return held();
}

describe.each([
  // With a wait at the first start, the test would run into its timeout.
  ['with the SQL database alone', sqlProject, (url: string) => heldInPostgres(url)],
  ['with Redis', redisProject, () => heldInRedis(redis.url)],
])('the quick start %s', (name, project, held) => {
  it('boots, makes IDs, saves entities, and releases its worker ID when it stops', async () => {
    const url = await databaseFor('postgres', `readme ${name}`.replaceAll(' ', '-').toLowerCase());
    process.env.DATABASE_URL = url;
    expect(await heldAfterTryingOut(project, () => held(url))).toEqual([]);
  });
});
