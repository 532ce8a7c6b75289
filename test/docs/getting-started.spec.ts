import 'reflect-metadata';
import type { Type } from '@nestjs/common';
import { BitLayout, IdDecoder } from 'nestjs-snowflake/core';
import { boot } from '../support/boot.js';
import { cleanUpAfterAll } from '../support/clean-up.js';
import { databaseFor, startRedis } from '../support/servers/index.js';
import { CodeProject } from './code-project.js';
import { TUTORIAL, tutorialApp } from './getting-started.js';
import { supportFolderOf } from './pages.js';

interface OrdersService {
  create(item: string): Promise<{ readonly id: string }>;
  find(id: string): Promise<object>;
}

const redis = await startRedis();
cleanUpAfterAll()(() => redis.stop());

it.each(['sqlLeaseStore', 'redisLeaseStore'] as const)(
  'the app of the tutorial with %s() gives an order an ID, and finds it by this ID',
  async (store) => {
    process.env.DATABASE_URL = await databaseFor('postgres', `getting started ${store}`);
    process.env.REDIS_URL = redis.url;
    const project = new CodeProject(tutorialApp(store), supportFolderOf('docs/getting-started.md'));
    const app = await boot(await project.run<Type>('src/app.module.ts', 'AppModule'));
    const orders = app.get(await project.run<Type<OrdersService>>('src/orders.service.ts', 'OrdersService'));
    const { id } = await orders.create('PEN');
    expect(await orders.find(id)).toMatchObject({ id, item: 'PEN' });
    await app.close();
  },
);

it('getting-started.md prints an ID with the time and the worker ID that are in it', () => {
  const [created, read] = TUTORIAL.blocksIn('console')
    .flatMap(({ text }) => text.match(/^\{.*\}$/gm) ?? [])
    .map((json) => JSON.parse(json) as Record<string, unknown>);
  const { timestamp, workerId } = new IdDecoder(new BitLayout()).decode(String(created?.id));
  expect(read).toEqual({ ...created, madeAt: timestamp.toISOString(), workerId });
});
