import { join } from 'node:path';
import { type LeaseStore } from 'nestjs-snowflake';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { sqlLeaseStore } from 'nestjs-snowflake/sql';
import { spawnChild, type TestChild } from '../support/child.js';
import { databaseFor, startRedis, type RedisServer } from '../support/servers/index.js';
import { makeDirectory, removeDirectory } from '../support/servers/server-process.js';

const TIMEOUT_MS = 60_000;

type Kind = 'redis' | 'postgres' | 'mariadb' | 'sqlite';
const KINDS: readonly Kind[] = ['redis', 'postgres', 'mariadb', 'sqlite'];

let redis: RedisServer;
let folder: string;
let files = 0;
const children: TestChild[] = [];

beforeAll(async () => {
  redis = await startRedis();
  folder = makeDirectory('abandoned-boots');
});
afterEach(async () => {
  await Promise.all(children.splice(0).map((child) => child.kill()));
});
afterAll(async () => {
  await redis.stop();
  removeDirectory(folder);
});

async function urlOf(kind: Kind): Promise<string> {
  if (kind === 'redis') return redis.url;
  return kind === 'sqlite' ? `sqlite:${join(folder, `${++files}.db`)}` : databaseFor(kind, 'abandoned-boots');
}

function started(url: string, kind: string, namespace: string): TestChild {
  const child = spawnChild(new URL('./children/abandoned-boot.ts', import.meta.url), {
    args: [url, kind, namespace],
  });
  children.push(child);
  return child;
}

/** Worker IDs that somebody holds. */
async function held(url: string, namespace: string): Promise<number> {
  const store: LeaseStore = url.startsWith('redis:')
    ? redisLeaseStore({ url, namespace })
    : sqlLeaseStore({ url, namespace });
  await store.open?.({ callTimeoutMs: 10_000 });
  try {
    const { rows } = await store.inspect();
    return rows.filter(({ fencingToken }) => fencingToken !== '').length;
  } finally {
    await store.close();
  }
}

const isMessage = <Message extends object>(sent: unknown): sent is Message =>
  typeof sent === 'object' && sent !== null;

describe.each(KINDS)('a process whose app fails its own boot, on %s', (kind) => {
  // Nest treats them alike on every store.
  it.each(kind === 'redis' ? ['provider', 'hook'] : ['provider'])(
    'ends with its own exit code, and releases its worker ID: a %s',
    async (failing) => {
      const url = await urlOf(kind);
      const child = started(url, failing, failing);
      const { message } = await child.next(isMessage<{ message: string }>);
      expect(message).toMatch(/no such secret/);
      expect(await child.untilEnd(TIMEOUT_MS)).toEqual({ code: 3, signal: null });
      expect(await held(url, failing)).toBe(0);
    },
    2 * TIMEOUT_MS,
  );

  it(
    'lives while a provider waits for the library, and goes on when the app has booted',
    async () => {
      const url = await urlOf(kind);
      const child = started(url, 'waits', 'waits');
      expect(await child.next(isMessage)).toEqual({ waited: true });
      for (let renewals = 0; renewals < 5; renewals++) {
        expect(await child.next(isMessage)).toEqual({ type: 'renewed' });
      }
      expect(await held(url, 'waits')).toBe(1);
      child.send({ close: true });
      expect(await child.untilEnd(TIMEOUT_MS)).toEqual({ code: 0, signal: null });
      expect(await held(url, 'waits')).toBe(0);
    },
    4 * TIMEOUT_MS,
  );
});
