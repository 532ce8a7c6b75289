import { Redis } from 'ioredis';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import type { LeaseRequest } from 'nestjs-snowflake/store';
import { registryKey } from '../../libs/snowflake/src/stores/redis/registry-key.js';
import {
  answered,
  claimOf,
  firstRequest,
  granted,
  request,
  renewed,
} from '../integration/redis-store/requests.js';
import { MakerPool } from '../lease/support/maker-pool.js';
import { MarkdownPage } from '../docs/markdown.js';
import { startRedis, type RedisServer } from '../support/servers/index.js';
import { waitFor } from '../support/wait.js';
import { cleanUpAfterEach } from '../support/clean-up.js';

const TIMEOUT_MS = 60_000;
const NAMESPACE = 'shop';
const KEY = registryKey(NAMESPACE);

const pool = new MakerPool();
// Makers stop before their servers do.
afterEach(() => pool.stopAll());
const cleanUp = cleanUpAfterEach();
let server: RedisServer;
let redis: Redis;

async function start(...args: string[]): Promise<RedisServer> {
  const started = await startRedis({ args: ['--repl-diskless-sync-delay', '0', ...args] });
  cleanUp(() => started.stop());
  return started;
}

beforeEach(async () => {
  server = await start();
  redis = new Redis(server.url);
  cleanUp(() => redis.disconnect());
});

async function openStore(minReplicas = 0) {
  const store = redisLeaseStore({ url: server.url, namespace: NAMESPACE, minReplicas });
  cleanUp(() => store.close());
  // With replicas, a call that none of them acknowledges lasts almost that long, and is then repeated.
  await store.open?.({ callTimeoutMs: minReplicas > 0 ? 5000 : 30_000 });
  return store;
}

/** The fields that docs/operations/redis-registry.md shows; those of worker IDs are numbers. */
function documentedFields(): string[] {
  const [example = ''] = MarkdownPage.read('docs/operations/redis-registry.md').blocks.map(
    ({ text }) => text,
  );
  const [command = '', ...lines] = example.trimEnd().split('\n');
  expect(command).toBe(`redis-cli HGETALL '${KEY}'`);
  return lines.map((line) => line.split(' ')[0] ?? '');
}

const isWorkerId = (field: string): boolean => /^\d+$/.test(field);

describe('what lies in Redis', () => {
  it('stores exactly the fields that the page for operators shows', async () => {
    await start('--replicaof', '127.0.0.1', String(server.port));
    await waitFor('the replica to follow', TIMEOUT_MS, async () =>
      /state=online/.test(await redis.info('replication')),
    );
    const store = await openStore(1);
    await waitFor('a grant', TIMEOUT_MS, async () => {
      const reply = await answered(() => store.lease(firstRequest('nonce:web-1/17')));
      return reply.outcome === 'new';
    });
    const fields = await redis.hgetall(KEY);
    const names = (all: readonly string[]): string[] => all.filter((field) => !isWorkerId(field)).sort();
    expect(names(Object.keys(fields))).toEqual(names(documentedFields()));
    expect(documentedFields().some(isWorkerId)).toBe(true);
    expect(fields['0']).toMatch(/^\d{13} nonce:web-1\/17@\d{13}$/);
  });

  it('sets no expiry on the key of the registry', async () => {
    const store = await openStore();
    const expectNoExpiry = async (): Promise<void> => expect(await redis.ttl(KEY)).toBe(-1);
    const grant = await granted(store.lease(firstRequest('a')));
    await expectNoExpiry();
    const { workerId, fencingToken, untilMs } = await renewed(
      grant,
      store.lease(request('b', claimOf(grant))),
    );
    await expectNoExpiry();
    await store.release({ workerId, fencingToken, lastUsedMs: untilMs });
    await expectNoExpiry();
    expect(await redis.keys('*')).toEqual([KEY]);
  });

  it('writes only the row of the worker ID on a renewal', async () => {
    const store = await openStore();
    await granted(store.lease(firstRequest('a')));
    const holder = await granted(store.lease(request('b')));
    const before = await redis.hgetall(KEY);
    await waitFor('the next millisecond', TIMEOUT_MS, () => Date.now() > holder.storeNowMs + 1);
    expect(await store.lease(request('c', claimOf(holder)))).toMatchObject({ outcome: 'kept' });
    const after = await redis.hgetall(KEY);
    const changed = Object.keys(after).filter((field) => after[field] !== before[field]);
    expect(changed).toEqual([String(holder.workerId)]);
  });

  it.each([
    ['a short name', 'web-1/17'],
    ['the longest name', 'x'.repeat(64)],
  ])('needs 100 to 200 bytes for each worker ID, with %s', async (_, holderName) => {
    const store = await openStore();
    const COUNT = 1024;
    const nonce = (index: number): string => `${String(index).padStart(16, '0')}:${holderName}`;
    for (let index = 0; index < COUNT; index++) await granted(store.lease(firstRequest(nonce(index))));
    const bytes = Number(await redis.call('MEMORY', 'USAGE', KEY, 'SAMPLES', '0'));
    expect(bytes / COUNT).toBeGreaterThan(100);
    expect(bytes / COUNT).toBeLessThan(200);
  });
});

describe('a registry that somebody has written to', () => {
  const options = (lease: object = {}) => ({
    store: redisLeaseStore({ url: server.url, namespace: NAMESPACE }),
    // With the default window: a start whose call is repeated, which a shorter one does sooner, reads all rows.
    lease: { possibleLoss: 'ignore' as const, renewEveryMs: 300, ...lease },
  });
  const CORRUPT = 'SNOWFLAKE_STORE_CORRUPT';

  it('stops the holder of an unreadable row and starts that read it, and never overwrites the row', async () => {
    const range = { workerCount: 4 };
    const holders = [await pool.start(options(range)), await pool.start(options(range))];
    await redis.hset(KEY, '1', 'hello');
    // A start that gets a worker ID which was never used looks at no row.
    const third = await pool.start(options(range));
    expect(third.status().workerId).toBe(2);
    await waitFor('the holder to come across it', TIMEOUT_MS, () => {
      const { lastError } = holders[1]!.status();
      return lastError?.code === CORRUPT;
    });
    await pool.start(options(range));
    await expect(pool.start(options(range))).rejects.toMatchObject({ code: CORRUPT });
    await waitFor('the other holder to be well', TIMEOUT_MS, () => {
      return holders[0]!.status().lastError === undefined;
    });
    await pool.stopAll();
    expect(await redis.hget(KEY, '1')).toBe('hello');
  });

  it('stops every start if a field of the namespace is unreadable', async () => {
    await pool.start(options());
    await redis.hset(KEY, 'grantsAfter', 'soon');
    const before = await redis.hgetall(KEY);
    await expect(pool.start(options())).rejects.toMatchObject({ code: CORRUPT });
    const { grantsAfter, layout, fresh } = await redis.hgetall(KEY);
    expect({ grantsAfter, layout, fresh }).toEqual({
      grantsAfter: 'soon',
      layout: before['layout'],
      fresh: before['fresh'],
    });
  });
});

describe('processes with another windowMs or maxSkewMs', () => {
  it('accepts another windowMs or maxSkewMs: it compares only layout, epoch and range', async () => {
    const others: Partial<LeaseRequest>[] = [{}, { windowMs: 120_000 }, { maxSkewMs: 9000 }];
    const store = await openStore();
    for (const [index, change] of others.entries()) {
      expect(await granted(store.lease(firstRequest(`n${index}`, change)))).toMatchObject({
        workerId: index,
      });
    }
    expect(await store.lease(request('n', { layout: 'other' }))).toMatchObject({ outcome: 'layout' });
  });
});
