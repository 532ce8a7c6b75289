import { Redis } from 'ioredis';
import { databaseFor, startRedis, type RedisServer } from '../support/servers/index.js';
import { DataSource } from 'typeorm';

describe('the private Redis of a spec', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis({ persistence: 'aof' });
  });
  afterAll(() => redis.stop());

  async function withClient<T>(work: (client: Redis) => Promise<T>): Promise<T> {
    const client = new Redis(redis.url, { retryStrategy: () => null, commandTimeout: 30_000 });
    client.on('error', () => undefined);
    try {
      return await work(client);
    } finally {
      client.disconnect();
    }
  }

  it('keeps the port of a private Redis, and with persistence its data, through a kill and a restart', async () => {
    const firstPid = redis.pid;
    await withClient((client) => client.set('k', 'v'));
    await redis.kill();
    await expect(withClient((client) => client.ping())).rejects.toThrow();
    await redis.restart();
    expect(redis.pid).not.toBe(firstPid);
    expect(await withClient((client) => client.get('k'))).toBe('v');
  });

  it('answers nothing while paused', async () => {
    await withClient(async (client) => {
      await client.ping();
      redis.pause();
      const reply = client.ping();
      const paused = await Promise.race([
        reply,
        new Promise((resolve) => setTimeout(resolve, 300, 'silence')),
      ]);
      redis.resume();
      expect(paused).toBe('silence');
      expect(await reply).toBe('PONG');
    });
  });
});

describe('the shared database servers', () => {
  it.each(['postgres', 'mariadb'] as const)(
    'gives every spec an empty %s database of its own',
    async (kind) => {
      const urls = [await databaseFor(kind, 'first one'), await databaseFor(kind, 'first one')];
      expect(new Set(urls).size).toBe(2);
      for (const url of urls) {
        const dataSource = new DataSource({ type: kind, url });
        await dataSource.initialize();
        try {
          await dataSource.query('CREATE TABLE t (id BIGINT)');
          expect(await dataSource.query('SELECT * FROM t')).toEqual([]);
        } finally {
          await dataSource.destroy();
        }
      }
    },
  );
});
