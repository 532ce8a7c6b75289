import { Redis } from 'ioredis';
import { type LeaseStore, SnowflakeIdMaker } from 'nestjs-snowflake';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { sqlLeaseStore } from 'nestjs-snowflake/sql';
import libsql from 'libsql';
import { type DataSourceOptions } from 'typeorm';
import { initializeNamespace } from '../../libs/snowflake/src/cli/commands/init/initialize-namespace.js';
import { isConfirmed } from '../../libs/snowflake/src/cli/commands/init/confirm.js';
import { layoutOf } from '../../libs/snowflake/src/core/index.js';
import { keeperSettings } from '../../libs/snowflake/src/lease/index.js';
import { databaseFor, type RedisServer, startRedis } from '../support/servers/index.js';
import { Files, operate, PASSWORD_IN_URL } from './operator.js';
import { MemoryTerminal } from './memory-terminal.js';

const WITHIN_MS = 120_000;
const SETTINGS = keeperSettings(layoutOf(undefined, undefined), {});
const NONCE = '0123456789abcdef:init';

const files = new Files();
let server: RedisServer;
let operator: Redis;
let namespaces = 0;

beforeAll(async () => {
  server = await startRedis();
  operator = new Redis(server.url);
}, WITHIN_MS);
afterAll(async () => {
  operator.disconnect();
  await server.stop();
  files.remove();
});

/** Starts an app that waits for what an empty registry may have forgotten. Resolves to whether it boots or waits. */
async function firstBoot(store: LeaseStore): Promise<string> {
  const ids = new SnowflakeIdMaker({ store, lease: { onEmptyStore: 'wait' } });
  try {
    return await new Promise((resolve, reject) => {
      ids.subscribe(({ type }) => type === 'waiting' && resolve('waits'));
      ids.start().then(() => resolve(`issues ${typeof ids.nextId()}`), reject);
    });
  } finally {
    await ids.stop();
  }
}

const redisStore = (namespace: string, minReplicas?: number) =>
  redisLeaseStore({ url: server.url, namespace, minReplicas });

async function inspected(store: LeaseStore) {
  await store.open?.({ callTimeoutMs: 10_000 });
  try {
    return await store.inspect();
  } finally {
    await store.close();
  }
}

describe('init', () => {
  it(
    'lets the first start on Redis issue at once, which waits without it (control)',
    async () => {
      const args = ['init', '--yes', '--redis', server.url, '--namespace', 'new'];
      expect(await operate(args)).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('redis namespace "new" is initialized'),
      });
      expect((await inspected(redisStore('new'))).rows).toMatchObject([{ workerId: 0, fencingToken: '' }]);
      expect(await firstBoot(redisStore('new'))).toBe('issues string');
      expect(await firstBoot(redisStore('without-init'))).toBe('waits');
    },
    WITHIN_MS,
  );

  it(
    'says that a namespace is already there, and changes nothing',
    async () => {
      const args = ['init', '--yes', '--redis', server.url, '--namespace', 'twice'];
      expect((await operate(args)).code).toBe(0);
      const before = await operator.dumpBuffer('snowflake:{twice}');
      expect(await operate(args)).toMatchObject({
        code: 3,
        stdout: expect.stringContaining('already there'),
      });
      expect(await operator.dumpBuffer('snowflake:{twice}')).toEqual(before);
      const other = await operate([...args, '--epoch', '2025-01-01']);
      expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining('SNOWFLAKE_LAYOUT_MISMATCH') });
      expect(await operator.dumpBuffer('snowflake:{twice}')).toEqual(before);
    },
    WITHIN_MS,
  );

  it(
    'refuses to shorten the wait of a namespace that may have lost leases',
    async () => {
      const waiting = redisStore('waiting');
      expect(await firstBoot(waiting)).toBe('waits');
      const args = ['init', '--yes', '--redis', server.url, '--namespace', 'waiting'];
      expect((await operate(args)).code).toBe(3);
      expect(await firstBoot(redisStore('waiting'))).toBe('waits');
    },
    WITHIN_MS,
  );

  it.each(['postgres', 'mariadb', 'sqlite'] as const)(
    'creates the tables of %s if told so, and the first start issues at once',
    async (kind) => {
      const url = kind === 'sqlite' ? `sqlite:${files.path('ids.sqlite')}` : await databaseFor(kind, 'init');
      const args = ['init', '--yes', '--database', url, '--namespace', 'shop'];
      expect((await operate(args)).code).toBe(1);
      expect((await operate([...args, '--create-table'])).code).toBe(0);
      expect((await operate(args)).code).toBe(3);
      const dataSource: DataSourceOptions =
        kind === 'sqlite'
          ? { type: 'better-sqlite3', driver: libsql, database: files.path('ids.sqlite') }
          : { type: kind, url };
      expect(await firstBoot(sqlLeaseStore({ dataSource, namespace: 'shop' }))).toBe('issues string');
    },
    WITHIN_MS,
  );

  it(
    'takes the layout and the window of the app',
    async () => {
      const app = files.options(
        `{ epoch: '2025-01-01T00:00:00Z', lease: { windowMs: 90_000, workerCount: 100 },` +
          ` store: redisLeaseStore({ url: '${server.url}', namespace: 'app' }) }`,
      );
      expect((await operate(['init', '--yes', '--options', app])).code).toBe(0);
      expect(await inspected(redisStore('app'))).toMatchObject({
        layout: expect.stringMatching(/^v1 epoch=2025-01-01.* workers=0\+100$/),
        longestWindowMs: 90_000,
        longestMaxSkewMs: 7_500,
      });
      const conflict = await operate(['init', '--yes', '--options', app, '--window-ms', '60000']);
      expect(conflict).toMatchObject({ code: 2, stderr: expect.stringContaining('--window-ms') });
    },
    WITHIN_MS,
  );

  it(
    'asks nobody without a terminal: it refuses, and shows no password',
    async () => {
      const url = `redis://app:${PASSWORD_IN_URL}@127.0.0.1:${server.port}`;
      const end = await operate(['init', '--redis', url, '--namespace', 'unasked']);
      expect(end).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
      const refused = await operate(['init', '--yes', '--redis', url, '--namespace', 'unasked']);
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('WRONGPASS') });
      expect(await operator.exists('snowflake:{unasked}')).toBe(0);
    },
    WITHIN_MS,
  );
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
    const store = redisStore(name);
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
    const name = `overtaken-${++namespaces}`;
    const store = await overtaken(name, (own) => own.lease(request));
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
    const name = `overtaken-${++namespaces}`;
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
