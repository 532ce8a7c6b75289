import { Redis } from 'ioredis';
import type { LeaseStore } from 'nestjs-snowflake';
import { unsoundServer } from '../../libs/snowflake/src/stores/redis/unsound-servers.js';
import { startRedis, type RedisServer } from '../support/servers/index.js';
import { PageCode } from './page-code.js';

const code = new PageCode('docs/stores/managed-redis.md');
const { page } = code;

let server: RedisServer;
let redis: Redis;

beforeAll(async () => {
  server = await startRedis();
  redis = new Redis(server.url);
  process.env.REDIS_URL = server.url;
});
afterAll(async () => {
  redis?.disconnect();
  await server?.stop();
  code.remove();
});

describe('the tables of servers', () => {
  const rows = (heading: string) => page.tablesUnder(heading).flatMap((table) => table.rows);

  it.each(['Accepted', 'Refused'])('say for each server whether it was tested: %s', (heading) => {
    const unsaid = rows(heading).filter((row) => !/^(Tested\b|Not tested\b)/.test(row.at(-1) ?? ''));
    expect(unsaid).toEqual([]);
  });

  it('name every server that the store refuses by name', () => {
    const refused = rows('Refused').map(([title]) => title);
    for (const name of ['dragonfly', 'garnet', 'kvrocks', 'upstash']) {
      const { title = '' } = unsoundServer(name) ?? {};
      expect(refused).toContain(title);
    }
  });
});

describe('the check of a server', () => {
  const scripts = [...page.text.matchAll(/EVAL "(.*)" 0$/gm)].map(([, script = '']) => script);

  it('shows what the page says, on Redis', async () => {
    const [about, info, time] = await Promise.all(scripts.map((script) => redis.eval(script, 0)));
    expect(about).toMatch(/^redis_version:/m);
    expect(about).toMatch(/^run_id:\w{40}/m);
    const others = [...String(about).matchAll(/^(\w+)_version:/gm)].map(([, name]) => name);
    expect(['redis', 'valkey', 'gcc', 'clang']).toEqual(expect.arrayContaining(others));
    expect(info).toMatch(/^role:master/m);
    expect(info).toMatch(/^master_replid:(?!0{40})\w{40}/m);
    expect(time).toHaveLength(2);
  });
});

it('the code of the page makes a store', async () => {
  const store = await code.run<LeaseStore>('redict.store.ts', 'store');
  expect(store.description).toBe('redis namespace "shop"');
  await store.close();
  expect(code.notRun()).toEqual([]);
});
