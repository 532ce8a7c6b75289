import 'reflect-metadata';
import type { Type } from '@nestjs/common';
import { SnowflakeIdMaker } from 'nestjs-snowflake';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { boot } from '../support/boot.js';
import { leaseOnce } from '../support/lease-once.js';
import { startRedis } from '../support/servers/index.js';
import { PageCode, testThatAllHaveRun } from './page-code.js';
import { IDS_OF_EACH, repeatedIds } from './repeated-ids.js';

const code = new PageCode('docs/guides/several-instances.md', 'Several regions');
/** Of the page. */
const layout = { datacenterBits: 2, workerBits: 8, sequenceBits: 12 };

describe('two regions with a store each', () => {
  it.each([
    ['a datacenter ID each', [0, 1].map((datacenterId) => ({ layout, datacenterId }))],
    ['separate ranges of worker IDs', [{ lease: { workerCount: 512 } }, { lease: { firstWorkerId: 512 } }]],
  ])('make distinct IDs with %s', async (_, regions) => {
    expect(await repeatedIds(regions)).toBe(0);
  });

  it.each([
    ['one datacenter ID', [1, 1].map((datacenterId) => ({ layout, datacenterId }))],
    ['two layouts', [{}, { layout: { workerBits: 8, sequenceBits: 14 } }]],
  ])('repeat IDs with %s (control)', async (_, regions) => {
    expect(await repeatedIds(regions)).toBe(IDS_OF_EACH);
  });
});

it('the module of the page makes IDs of its region', async () => {
  const redis = await startRedis();
  try {
    process.env.REDIS_URL = redis.url;
    process.env.REGION_NUMBER = '2';
    const store = redisLeaseStore({ url: redis.url, namespace: 'shop' });
    await leaseOnce(store, { layout });
    const app = await boot(await code.run<Type>('app.module.ts', 'AppModule'));
    const ids = app.get(SnowflakeIdMaker);
    expect(ids.decode(ids.nextId())).toMatchObject({ datacenterId: 2 });
    await app.close();
  } finally {
    await redis.stop();
  }
});

testThatAllHaveRun(code);
