import { Redis } from 'ioredis';
import type { LeaseStore } from 'nestjs-snowflake';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { initializeNamespace } from '../../libs/snowflake/src/cli/commands/init/initialize-namespace.js';
import { isConfirmed } from '../../libs/snowflake/src/cli/commands/init/confirm.js';
import { layoutOf } from '../../libs/snowflake/src/core/index.js';
import { keeperSettings } from '../../libs/snowflake/src/lease/index.js';
import { type RedisServer, startRedis } from '../support/servers/index.js';
import { MemoryTerminal } from './memory-terminal.js';

const SETTINGS = keeperSettings(layoutOf(undefined, undefined), {});
const NONCE = '0123456789abcdef:init';

let server: RedisServer;
let operator: Redis;

beforeAll(async () => {
  server = await startRedis();
  operator = new Redis(server.url);
});
afterAll(async () => {
  operator.disconnect();
  await server.stop();
});

it('takes no other answer than the name of the namespace for a yes', async () => {
  const atDesk = (...answers: string[]) =>
    Object.assign(new MemoryTerminal(answers), { isErrorInteractive: true, isInputInteractive: true });
  for (const [answer, expected] of [
    ['shop', true],
    [' shop ', true],
    ['y', false],
    ['', false],
  ] as const) {
    const desk = atDesk(answer, 'shop');
    expect(await isConfirmed(desk, 'Type shop: ', 'shop')).toBe(expected);
    expect(desk.errors).toBe('Type shop: ');
  }
  expect(await isConfirmed(atDesk(), 'Type shop: ', 'shop')).toBe(false);
});

describe('initializing a namespace beside an app that starts at the same moment', () => {
  /** A store whose namespace another process has made since the first look. */
  async function overtaken(
    name: string,
    other: (store: LeaseStore) => Promise<unknown>,
  ): Promise<LeaseStore> {
    const store = redisLeaseStore({ url: server.url, namespace: name });
    await store.open?.({ callTimeoutMs: 10_000 });
    const inspect = store.inspect.bind(store);
    store.inspect = async () => {
      const empty = await inspect();
      await other(store);
      return empty;
    };
    return store;
  }
  const request = {
    layout: SETTINGS.fingerprint,
    firstWorkerId: 0,
    workerCount: 1024,
    windowMs: 60_000,
    maxSkewMs: 5_000,
    nonce: 'fedcba9876543210:app',
    retry: false,
    assumeNew: false,
    searchSeed: 0,
  };

  it('leaves the wait of that app as it is', async () => {
    const store = await overtaken('overtaken-by-app', (own) => own.lease(request));
    try {
      expect(await initializeNamespace(store, SETTINGS, NONCE)).toBe('already there');
      expect(await store.lease({ ...request, retry: true })).toMatchObject({
        outcome: 'wait',
        reason: 'empty',
      });
    } finally {
      await store.close();
    }
  });

  it('gives its worker ID back if another init was faster', async () => {
    const name = 'overtaken-by-init';
    const store = await overtaken(name, (own) => own.lease({ ...request, assumeNew: true }));
    try {
      expect(await initializeNamespace(store, SETTINGS, NONCE)).toBe('already there');
      const held = (await redisRows(name)).filter(
        ([field, row]) => /^\d+$/.test(field) && !row.endsWith(' '),
      );
      expect(held).toEqual([['0', expect.stringContaining(':app@')]]);
    } finally {
      await store.close();
    }
  });

  async function redisRows(name: string): Promise<[string, string][]> {
    return Object.entries(await operator.hgetall(`snowflake:{${name}}`));
  }
});
