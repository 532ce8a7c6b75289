import { Redis } from 'ioredis';
import { type LeaseOptions, type LeaseStore, SnowflakeIdMaker } from 'nestjs-snowflake';
import { startRedis, type RedisServer } from '../support/servers/index.js';
import { PageCode } from './page-code.js';

const page = new PageCode('docs/stores/redis.md');

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
});

afterAll(async () => {
  admin?.disconnect();
  await server?.stop();
  page.remove();
});

const connectionNames = async (): Promise<string> => String(await admin.client('LIST'));

describe('the code of the page on Redis', () => {
  it('leases with the rights that the page prints, and the settings for development', async () => {
    const store = await page.run<LeaseStore>('redis.store.ts', 'store');
    const lease = await page.run<LeaseOptions>('development.ts', 'lease');
    expect(lease).toEqual({ possibleLoss: 'ignore' });
    const ids = new SnowflakeIdMaker({ store, lease });
    await ids.start();
    expect(ids.decode(ids.nextId()).workerId).toBe(0);
    await ids.stop();
  });

  it('waits in production', async () => {
    process.env.NODE_ENV = 'production';
    try {
      const again = new PageCode('docs/stores/redis.md');
      expect(await again.run<LeaseOptions>('development.ts', 'lease')).toEqual({ possibleLoss: 'wait' });
      again.remove();
    } finally {
      process.env.NODE_ENV = 'test';
    }
  });

  it.each(['sentinel.store.ts', 'cluster.store.ts'])('is %s, which makes a store', async (file) => {
    const store = await page.run<LeaseStore>(file, 'store');
    expect(store).toMatchObject({ description: 'redis namespace "shop"', renewable: true });
    await store.close();
  });

  it('was all run', () => {
    expect(page.notRun()).toEqual([]);
  });
});

describe('the name of a connection', () => {
  it('is set only with the additional right that the page on monitoring names', async () => {
    const hold = async (): Promise<SnowflakeIdMaker> => {
      const { redisLeaseStore } = await import('nestjs-snowflake/redis');
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
