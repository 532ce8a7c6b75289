import 'reflect-metadata';
import type { INestApplicationContext, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { SnowflakeIdMaker, type SnowflakeOptions } from 'nestjs-snowflake';
import { memoryLeaseStore } from 'nestjs-snowflake/standalone';
import { MemoryRegistry } from 'nestjs-snowflake/store';
import { VirtualClock } from '../../libs/snowflake/src/stores/port/virtual-clock.js';
import { duplicatesIn } from '../lease/support/id-checks.js';
import { MakerPool, workerIdOf } from '../lease/support/maker-pool.js';
import { type RedisServer, startRedis } from '../support/servers/index.js';
import { PageCode } from './page-code.js';

const code = new PageCode('docs/guides/several-instances.md', 'Several regions');
const layout = { datacenterBits: 2, workerBits: 8, sequenceBits: 12 };
const clock = new VirtualClock('2026-01-01T00:00:00Z');
const pool = new MakerPool();

afterAll(async () => {
  await pool.stopAll();
});

/** IDs of two regions, made in the same millisecond. */
async function madeIn(...regions: readonly Partial<SnowflakeOptions>[]): Promise<BigUint64Array[]> {
  const makers: SnowflakeIdMaker[] = [];
  for (const region of regions) {
    const store = memoryLeaseStore({ clock, registry: new MemoryRegistry() });
    const lease = { possibleLoss: 'ignore', ...region.lease } as const;
    makers.push(await pool.start({ store, layout, ...region, lease }, { clock }));
  }
  clock.step(1000);
  return makers.map((maker) => maker.nextBigInts(4096));
}

describe('two regions', () => {
  it('two regions with a store and a datacenter ID each make distinct IDs', async () => {
    expect(duplicatesIn(await madeIn({ datacenterId: 0 }, { datacenterId: 1 }))).toEqual([]);
  });

  it('two regions with one datacenter ID make the same IDs (control)', async () => {
    expect(duplicatesIn(await madeIn({ datacenterId: 1 }, { datacenterId: 1 }))).toHaveLength(4096);
  });

  it('two regions with ranges of worker IDs that do not overlap make distinct IDs', async () => {
    const made = await madeIn(
      { layout: {}, lease: { workerCount: 512 } },
      { layout: {}, lease: { firstWorkerId: 512 } },
    );
    expect(duplicatesIn(made)).toEqual([]);
  });

  it('two regions with two layouts can make the same IDs', async () => {
    const made = await madeIn({ layout: {} }, { layout: { workerBits: 8, sequenceBits: 14 } });
    expect(duplicatesIn(made)).toHaveLength(4096);
  });

  it.each([
    ['one datacenter ID', [0, 0]],
    ['a datacenter ID each', [0, 1]],
  ])('two regions with one store and %s make distinct IDs', async (_name, [here, there]) => {
    const registry = new MemoryRegistry();
    const shared = (datacenterId = 0): Partial<SnowflakeOptions> => ({
      store: memoryLeaseStore({ registry, clock }),
      lease: { possibleLoss: 'ignore' },
      datacenterId,
    });
    expect(duplicatesIn(await madeIn(shared(here), shared(there)))).toEqual([]);
  });

  it('IDs of two regions sort by time first, and by region within one tick', async () => {
    const [first, second] = await madeIn({ datacenterId: 2 }, { datacenterId: 0 });
    expect(second![0]).toBeLessThan(first![0]!);
    clock.step(1);
    const [later] = await madeIn({ datacenterId: 0 });
    expect(later![0]).toBeGreaterThan(first!.at(-1)!);
  });

  it('the maker refuses a datacenter ID that does not fit', () => {
    const options = { store: memoryLeaseStore(), layout, datacenterId: 4 };
    expect(() => pool.make(options)).toThrow(expect.objectContaining({ option: 'datacenterId' }));
  });
});

describe('the module of the page', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());

  it('the module of the page makes IDs of its region', async () => {
    process.env.REDIS_URL = redis.url;
    process.env.REGION_NUMBER = '2';
    const AppModule = await code.run<Type>('app.module.ts', 'AppModule');
    const options: SnowflakeOptions = {
      store: (await import('nestjs-snowflake/redis')).redisLeaseStore({ url: redis.url, namespace: 'shop' }),
      layout,
      lease: { possibleLoss: 'ignore' },
    };
    // Another process has used the namespace before, so the boot doesn't wait for a lost registry.
    const before = await pool.start(options);
    let app: INestApplicationContext | undefined;
    try {
      app = await NestFactory.createApplicationContext(AppModule, { logger: false, abortOnError: false });
      const ids = app.get(SnowflakeIdMaker);
      expect(ids.decode(ids.nextId())).toMatchObject({ datacenterId: 2, workerId: 1 });
      expect(workerIdOf(before)).toBe(0);
    } finally {
      await app?.close();
    }
    expect(code.notRun()).toEqual([]);
  });
});
