import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { MarkdownPage, ROOT } from '../docs/markdown.js';
import { claimOf, firstRequest, granted, request } from '../integration/redis-store/requests.js';
import { startRedis, type RedisServer } from '../support/servers/index.js';

const LONG = { windowMs: 120_000, maxSkewMs: 20_000 };

/** Every `redis-cli` command that a page for operators prints, with its page. */
const PRINTED = readdirSync(join(ROOT, 'docs/operations')).flatMap((file) => {
  const { text } = MarkdownPage.read(`docs/operations/${file}`);
  const commands = [...text.matchAll(/redis-cli (H\w+|DEL) ([^`\n]*)/g)];
  return commands.map(([, command = '', rest = '']) => [
    command,
    rest.replaceAll("'", '').split(' '),
    file,
  ]) as [string, string[], string][];
});

let server: RedisServer;
let redis: Redis;

beforeAll(async () => {
  server = await startRedis();
  redis = new Redis(server.url);
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

/** Makes a registry with 18 worker IDs. Resolves to the store and the last holder. */
async function leased() {
  await redis.flushall();
  const store = redisLeaseStore({ url: server.url, namespace: 'shop' });
  await store.open?.({ callTimeoutMs: 30_000 });
  let holder = await granted(store.lease(firstRequest('0', LONG)));
  for (let index = 1; index < 18; index++) holder = await granted(store.lease(request(String(index), LONG)));
  return { store, holder };
}

describe('the redis-cli commands of the pages for operators', () => {
  it('finds redis-cli commands of all kinds on the pages', () => {
    expect(PRINTED.map(([command]) => command)).toEqual(
      expect.arrayContaining(['HGETALL', 'HSET', 'HDEL', 'DEL']),
    );
  });

  it.each(PRINTED)('finds the key and fields of %s %o on %s', async (command, words) => {
    const { store } = await leased();
    const [key = '', ...fields] = words;
    const before = await redis.hgetall(key);
    expect(Object.keys(before)).toEqual(expect.arrayContaining(fields.slice(0, 1)));
    const reply = await redis.call(command, ...words);
    // HSET replies with the number of fields that it has added: none, because the field exists.
    expect(reply === 0).toBe(command === 'HSET');
    await store.close();
  });

  it('keeps the lease of a holder in a registry that was deleted, and makes new processes wait', async () => {
    const { store, holder } = await leased();
    await redis.del('snowflake:{shop}');
    expect(await store.lease(request('new', LONG))).toMatchObject({ outcome: 'wait', reason: 'empty' });
    expect(await store.lease(request('held', { ...LONG, ...claimOf(holder) }))).toMatchObject({
      outcome: 'kept',
    });
    await store.close();
  });
});
