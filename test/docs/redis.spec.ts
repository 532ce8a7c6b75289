import 'reflect-metadata';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Redis } from 'ioredis';
import { type LeaseStore, SnowflakeIdMaker } from 'nestjs-snowflake';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { unsoundServer } from '../../libs/snowflake/src/stores/redis/unsound-servers.js';
import { startRedis, type RedisServer } from '../support/servers/index.js';
import { waitFor } from '../support/wait.js';
import { PageCode, testThatAllHaveRun } from './page-code.js';

const WITHIN_MS = 20_000;

const page = new PageCode('docs/stores/redis.md');
const localWindow = new PageCode('docs/stores/fixed-worker-ids.md', 'Local window');

let server: RedisServer;
let admin: Redis;

beforeAll(async () => {
  server = await startRedis();
  admin = new Redis(server.url, { maxRetriesPerRequest: 1, commandTimeout: 5_000 });
  const [rights = ''] = /^ACL SETUSER .*$/m.exec(page.page.text) ?? [];
  const [command = '', ...words] = rights.split(' ');
  await admin.call(command, ...words);
  // The user and the password of that line.
  process.env.REDIS_URL = server.url.replace('redis://', 'redis://snowflake:password@');
  process.env.REDIS_PASSWORD = 'password';
});

afterAll(async () => {
  admin?.disconnect();
  await server?.stop();
});

const boot = (root: Type) =>
  NestFactory.createApplicationContext(root, { logger: false, abortOnError: false });

const connectionNames = async (): Promise<string> => String(await admin.client('LIST'));

describe('the code of the page on Redis', () => {
  it('leases with the rights that the page prints, and without a wait in tests', async () => {
    const store = redisLeaseStore({ namespace: 'shop', url: process.env.REDIS_URL });
    const ids = new SnowflakeIdMaker({ store });
    await ids.start();
    const app = await boot(await page.run<Type>('ids.module.ts', 'IdsModule'));
    const others = app.get(SnowflakeIdMaker);
    expect([ids, others].map((maker) => maker.decode(maker.nextId()).workerId)).toEqual([0, 1]);
    await app.close();
    await ids.stop();
  });

  it.each([
    ['sentinel.store.ts', 'sentinelStore'],
    ['cluster.store.ts', 'clusterStore'],
  ])('%s makes a store', async (file, name) => {
    const store = (await page.run<() => LeaseStore>(file, name))();
    expect(store).toMatchObject({ description: 'redis namespace "shop"', renewable: true });
    await store.close();
  });

  testThatAllHaveRun(page);
});

describe('the name of a connection', () => {
  it('the store names its connection only with the right CLIENT SETNAME', async () => {
    const hold = async (): Promise<SnowflakeIdMaker> => {
      const store = redisLeaseStore({ namespace: 'shop', url: process.env.REDIS_URL });
      const ids = new SnowflakeIdMaker({ store, lease: { possibleLoss: 'ignore' } });
      await ids.start();
      return ids;
    };
    const without = await hold();
    expect(await connectionNames()).not.toContain('name=snowflake:shop');
    await without.stop();
    await admin.call('ACL', 'SETUSER', 'snowflake', '+client|setname');
    const named = await hold();
    expect(await connectionNames()).toContain('name=snowflake:shop');
    await named.stop();
  });
});

describe('the table of servers that are refused', () => {
  const rows = (heading: string) => page.page.tablesUnder(heading).flatMap((table) => table.rows);

  it('the table names every server that the store refuses by name', () => {
    const refused = rows('Refused').map(([title]) => title);
    for (const name of ['dragonfly', 'garnet', 'kvrocks', 'upstash']) {
      const { title = '' } = unsoundServer(name) ?? {};
      expect(refused).toContain(title);
    }
  });
});

it('the app of the page on local windows writes the rest of its window to the file when it stops', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'snowflake-window-'));
  const file = join(folder, 'snowflake.window');
  process.env.WINDOW_FILE = file;
  // Another process has used the namespace before, so the boot doesn't wait for a lost registry.
  const store = redisLeaseStore({ namespace: 'shop', url: process.env.REDIS_URL });
  const before = new SnowflakeIdMaker({ store, lease: { possibleLoss: 'ignore' } });
  await before.start();
  await before.stop();
  try {
    const app = await boot(await localWindow.run<Type>('ids.module.ts', 'IdsModule'));
    expect(existsSync(file)).toBe(false);
    await app.close();
    await waitFor('the file', WITHIN_MS, () => existsSync(file));
  } finally {
    rmSync(folder, { recursive: true });
  }
});
