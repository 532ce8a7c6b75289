import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import type { DynamicModule, INestApplication, INestApplicationContext, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import { Redis } from 'ioredis';
import { SnowflakeIdMaker } from 'nestjs-snowflake';
import type { LeaseStore } from 'nestjs-snowflake';
import type { IdCodec } from 'nestjs-snowflake/codecs';
import { obfuscatingCodec } from 'nestjs-snowflake/obfuscation';
import { DataSource } from 'typeorm';
import { databaseFor, type RedisServer, startRedis } from '../support/servers/index.js';
import { CodeProject } from './code-project.js';
import { MarkdownPage } from './markdown.js';

interface Order {
  readonly id: string;
  readonly customerId: string;
}

interface OrdersService {
  create(customerId: string): Promise<Order>;
  madeBetween(first: Date, last: Date): Promise<Order[]>;
  newInvoiceNumber(): string;
}

const readme = MarkdownPage.read('README.md');
const project = new CodeProject(readme.blocksIn('ts'));
const filesRun = new Set<string>();

/** Runs a file of the README, and gives what it exports under `name`. */
async function run<Exported>(file: string, name: string): Promise<Exported> {
  filesRun.add(file);
  const exports = await project.import<Record<string, Exported>>(file);
  const exported = exports[name];
  if (exported === undefined) throw new Error(`${file} of the README exports no ${name}`);
  return exported;
}

let redis: RedisServer;
let admin: Redis;

beforeAll(async () => {
  redis = await startRedis();
  admin = new Redis(redis.url, { maxRetriesPerRequest: 1, commandTimeout: 5_000 });
  const [rights = ''] = readme.blocksIn('redis').map(({ text }) => text.trim());
  const [command = '', ...words] = rights.split(' ');
  await admin.call(command, ...words);
  const [, forSecondNamespace = ''] =
    /For a second namespace add its key, e\.g\. `(\S+)`/.exec(readme.text) ?? [];
  await admin.call('ACL', 'SETUSER', 'snowflake', forSecondNamespace);
  // The user and the password of that line.
  process.env.REDIS_URL = redis.url.replace('redis://', 'redis://snowflake:secret@');
  process.env.DATABASE_URL = await databaseFor('postgres', 'readme');
});

afterAll(async () => {
  admin?.disconnect();
  await redis?.stop();
  project.remove();
});

const boot = (root: Type | DynamicModule): Promise<INestApplicationContext> =>
  NestFactory.createApplicationContext(root, { logger: false, abortOnError: false });

describe('the TypeScript of the README', () => {
  it('compiles', () => {
    expect(project.problems()).toEqual([]);
  });

  it('would not compile with a name that the library does not have', () => {
    const [first] = readme.blocksIn('ts');
    const wrong = new CodeProject([
      { language: 'ts', text: first!.text.replaceAll('redisLeaseStore', 'redisStore') },
    ]);
    try {
      expect(wrong.problems()).toContainEqual(expect.stringMatching(/app\.module\.ts: .*redisStore/));
    } finally {
      wrong.remove();
    }
  });

  it('is an app that boots, makes IDs, saves entities, and gives its worker ID back', async () => {
    const Service = await run<Type<OrdersService>>('orders.service.ts', 'OrdersService');
    await run('order.entity.ts', 'Order');
    const AppModule = await run<Type>('app.module.ts', 'AppModule');
    const app = await boot({ ...ScheduleModule.forRoot(), imports: [AppModule] });
    const ids = app.get(SnowflakeIdMaker);
    try {
      await app.get(DataSource).synchronize();
      const orders = app.get(Service);
      const before = new Date(Date.now() - 60_000);
      const customerId = orders.newInvoiceNumber();
      const made = [await orders.create(customerId), await orders.create(customerId)];
      expect(await orders.madeBetween(before, new Date(Date.now() + 60_000))).toEqual(made);
      expect(await orders.madeBetween(new Date(0), before)).toEqual([]);
      expect(ids.decode(made[0]!.id)).toMatchObject({ id: made[0]!.id, workerId: 0 });
      expect(app.get(SchedulerRegistry).getIntervals()).toContain('snowflake:lease:default');
      expect(await admin.hget('snowflake:{shop}', '0')).toMatch(/^\d+ \w+/);
    } finally {
      await app.close();
    }
    // No fencing token: given back.
    expect(await admin.hget('snowflake:{shop}', '0')).toMatch(/^\d+ $/);
  });

  it('is a main file that serves the app and can be stopped', async () => {
    process.env.PORT = '0';
    const app = await run<INestApplication>('main.ts', 'app');
    try {
      expect(await fetch(await app.getUrl())).toMatchObject({ status: 404 });
    } finally {
      await app.close();
    }
    expect(app.get(SnowflakeIdMaker).status().state).toBe('stopped');
  });

  it('is a module with an instance of another name', async () => {
    const Service = await run<Type<{ readonly ids: SnowflakeIdMaker }>>('audit.module.ts', 'AuditService');
    const app = await boot(await run<Type>('audit.module.ts', 'AuditModule'));
    try {
      const { ids } = app.get(Service);
      expect(ids.status()).toMatchObject({ state: 'active', store: 'redis namespace "audit"' });
      expect(ids.decode(ids.nextId()).workerId).toBe(0);
    } finally {
      await app.close();
    }
  });

  it('is a script for SQLite without Nest', async () => {
    const { id, customerId } = await run<Order>('import-orders.ts', 'order');
    expect(BigInt(id)).toBeGreaterThan(BigInt(customerId));
    expect(BigInt(customerId)).toBeGreaterThan(2n ** 53n);
  });

  it('makes order numbers that are read back, also those of the key before', async () => {
    process.env.ID_KEY_1 = randomBytes(32).toString('hex');
    process.env.ID_KEY_2 = randomBytes(32).toString('hex');
    const codec = await run<IdCodec<string>>('order-numbers.ts', 'orderNumbers');
    const id = '382475217496248322';
    expect(codec.encode(id)).toMatch(/^ord_2\w{11}$/);
    expect(codec.decode(codec.encode(id))).toBe(id);
    const before = obfuscatingCodec({ keys: { 1: process.env.ID_KEY_1 }, current: 1 });
    expect(codec.decode(`ord_${before.encode(id)}`)).toBe(id);
  });

  it('is a store in a database, which leases', async () => {
    const store = await run<LeaseStore>('sql.store.ts', 'store');
    const ids = new SnowflakeIdMaker({ store });
    await ids.start();
    expect(ids.decode(ids.nextId()).workerId).toBe(0);
    await ids.stop();
  });

  it.each(['sentinel.store.ts', 'cluster.store.ts', 'local-window.store.ts'])(
    'is %s, which makes a store',
    async (file) => {
      const store = await run<LeaseStore>(file, 'store');
      expect(store).toMatchObject({ description: 'redis namespace "shop"', renewable: true });
      await store.close();
    },
  );
});

// A spec of its own: its tests are those of this one.
filesRun.add('ids.spec.ts');
await project.import('ids.spec.ts');

it('all TypeScript of the README was run', () => {
  expect([...filesRun].sort()).toEqual([...project.files].sort());
});
