import { BitLayout } from 'nestjs-snowflake/core';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { sqlLeaseStore } from 'nestjs-snowflake/sql';
import { SnowflakeIdMaker } from 'nestjs-snowflake/standalone';
import type { LeaseStore } from 'nestjs-snowflake/store';
import { initializeNamespace } from '../../../libs/snowflake-cli/src/commands/init/initialize-namespace.js';
import { keeperSettings } from '../../../libs/snowflake/src/lease/lease-options.js';
import { spawnChild, type TestChild } from '../../support/child.js';
import { databaseFor, startRedis } from '../../support/servers/index.js';

interface Batch {
  readonly batch: number;
  readonly ids: readonly string[];
}

const PROGRAM = new URL('./children/importing.ts', import.meta.url);
const servers: { stop(): Promise<void> }[] = [];
const children: TestChild[] = [];

const URLS = {
  redis: async () => {
    const server = await startRedis();
    servers.push(server);
    return server.url;
  },
  postgres: () => databaseFor('postgres', 'backfill'),
  mariadb: () => databaseFor('mariadb', 'backfill'),
};

afterEach(() => Promise.all(children.splice(0).map((child) => child.kill())));
afterAll(() => Promise.all(servers.map((server) => server.stop())));

function start(kind: string, url: string): TestChild {
  const child = spawnChild(PROGRAM, { args: [kind, url] });
  children.push(child);
  return child;
}

/** Resolves to the IDs of the batches of an import up to one, which is taken. */
async function idsUpTo(child: TestChild, last: number): Promise<string[]> {
  const made: string[] = [];
  for (let number = 0; number <= last; number += 1) {
    const isNext = (message: unknown): message is Batch => Reflect.get(Object(message), 'batch') === number;
    made.push(...(await child.next(isNext, 60_000)).ids);
  }
  return made;
}

function storeAt(kind: string, url: string, namespace: string): LeaseStore {
  return kind === 'redis'
    ? redisLeaseStore({ url, namespace })
    : sqlLeaseStore({ url, namespace, createTable: true });
}

describe.each(Object.keys(URLS) as (keyof typeof URLS)[])(
  'the first import on %s [promise: after-loss]',
  (kind) => {
    it('needs no assertion after init, and needs one elsewhere', async () => {
      const url = await URLS[kind]();
      const store = storeAt(kind, url, 'declared');
      await store.open?.({ callTimeoutMs: 30_000 });
      const declared = initializeNamespace(
        store,
        keeperSettings(new BitLayout(), {}),
        '0123456789abcdef:init',
      );
      expect(await declared).toBe('initialized');
      await store.close();
      const firstImport = async (namespace: string, lease: object): Promise<unknown> => {
        await using ids = new SnowflakeIdMaker({ store: storeAt(kind, url, namespace), lease });
        await ids.start();
        return ids.backfill(['2025-01-01']).catch(({ reason }: { reason: unknown }) => reason);
      };
      expect(await firstImport('declared', {})).toHaveLength(1);
      expect(await firstImport('undeclared', { possibleLoss: 'ignore' })).toBe('possible-loss');
    });
  },
);

describe.each(Object.keys(URLS) as (keyof typeof URLS)[])('imports on %s [promise: unique]', (kind) => {
  it('make no equal IDs at once, while others make IDs, and after a kill in the middle', async () => {
    const url = await URLS[kind]();
    const [first, second] = [start(kind, url), start(kind, url)];
    const [killed, other] = await Promise.all([idsUpTo(first, 10), idsUpTo(second, 5)]);
    await first.kill();
    const again = await idsUpTo(start(kind, url), 20);
    const rest = await second.next(
      (message): message is Batch => Reflect.get(Object(message), 'batch') === 20,
      60_000,
    );
    const made = [...killed, ...other, ...again, ...rest.ids];
    expect(new Set(made).size).toBe(made.length);
  });
});
