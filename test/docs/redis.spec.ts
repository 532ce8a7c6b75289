import 'reflect-metadata';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Type } from '@nestjs/common';
import { type LeaseStore, SnowflakeIdMaker } from 'nestjs-snowflake';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { UNSOUND_NAMES, unsoundServer } from '../../libs/snowflake/src/stores/redis/unsound-servers.js';
import { boot } from '../support/boot.js';
import { cleanUpAfterAll, temporaryFolder } from '../support/clean-up.js';
import { leaseOnce } from '../support/lease-once.js';
import { startRedis } from '../support/servers/index.js';
import { waitFor } from '../support/wait.js';
import { PageCode, testThatAllHaveRun } from './page-code.js';
import { grantPrintedRights } from './redis-rights.js';

const WITHIN_MS = 20_000;

const page = new PageCode('docs/stores/redis.md');
const localWindow = new PageCode('docs/stores/fixed-worker-ids.md', 'Local window');

const cleanUp = cleanUpAfterAll();

beforeAll(async () => {
  const server = await startRedis();
  cleanUp(() => server.stop());
  await grantPrintedRights(server.url);
  process.env.REDIS_URL = server.url.replace('redis://', 'redis://snowflake:password@');
  process.env.REDIS_PASSWORD = 'password';
});

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

it('the table names every server that the store refuses by name', () => {
  const refused = page.page.rowsUnder('Refused').map(([title]) => title);
  expect(refused).toEqual(expect.arrayContaining(UNSOUND_NAMES.map((name) => unsoundServer(name)?.title)));
});

it('the app of the page on local windows writes the rest of its window to the file when it stops', async () => {
  const file = join(temporaryFolder(cleanUp), 'snowflake.window');
  process.env.WINDOW_FILE = file;
  await leaseOnce(redisLeaseStore({ namespace: 'shop', url: process.env.REDIS_URL }));
  const app = await boot(await localWindow.run<Type>('ids.module.ts', 'IdsModule'));
  expect(existsSync(file)).toBe(false);
  await app.close();
  await waitFor('the file', WITHIN_MS, () => existsSync(file));
});
