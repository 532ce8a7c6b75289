import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Redis } from 'ioredis';
import {
  databaseFor,
  freePort,
  type RedisServer,
  startRedis,
  startSentinel,
} from '../../../support/servers/index.js';
import { waitFor } from '../../../support/wait.js';
import {
  diagnose,
  expectFindings,
  Files,
  operate,
  PASSWORD,
  PASSWORD_IN_URL,
} from '../../../../libs/snowflake-cli/test/operator.js';
import { cleanUpAfterEach } from '../../../support/clean-up.js';

const TIMEOUT_MS = 240_000;
const NAMESPACE = ['--namespace', 'shop'];
const KEY = 'snowflake:{shop}';

const files = new Files();
const cleanUp = cleanUpAfterEach();
let server: RedisServer;
let operator: Redis;

beforeAll(async () => {
  server = await startRedis({ persistence: 'aof' });
  operator = new Redis(server.url);
});
afterAll(async () => {
  operator.disconnect();
  await server.stop();
  files.remove();
});
beforeEach(async () => {
  await operator.flushall();
  expect((await operate(['init', '--yes', '--redis', server.url, ...NAMESPACE])).code).toBe(0);
}, TIMEOUT_MS);

async function start(...args: string[]): Promise<RedisServer> {
  const started = await startRedis({ persistence: 'aof', args });
  cleanUp(() => started.stop());
  return started;
}

async function listening(web: Server): Promise<number> {
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  return (web.address() as AddressInfo).port;
}

/** A user with these rights; resolves to the URL with which it connects. */
async function userWith(...rules: string[]): Promise<string> {
  await operator.call('ACL', 'SETUSER', 'app', 'reset', 'on', `>${PASSWORD}`, ...rules);
  return `redis://app:${PASSWORD_IN_URL}@127.0.0.1:${server.port}`;
}

const LEAST_RIGHTS = `~${KEY} -@all +eval +evalsha +time +info +hget +hset +hmget +hgetall`.split(' ');

const examine = (url: string) => diagnose(['--redis', url, ...NAMESPACE]);

describe('the doctor on Redis', () => {
  it(
    'finds nothing in a healthy setup, with the rights of a store alone, and changes nothing',
    async () => {
      const url = await userWith(...LEAST_RIGHTS);
      const before = await operator.dumpBuffer(KEY);

      expectFindings(await examine(url));

      expect(await operator.dumpBuffer(KEY)).toEqual(before);
      expect(await operator.keys('*')).toEqual([KEY]);
      await operator.hset(KEY, 'fresh', '2');
      expect(await operator.dumpBuffer(KEY)).not.toEqual(before);
    },
    TIMEOUT_MS,
  );

  it(
    'finds a server that does not answer, within its bound',
    async () => {
      const gone = `redis://app:${PASSWORD_IN_URL}@127.0.0.1:${await freePort()}`;
      expectFindings(await examine(gone), { code: 'STORE_UNREACHABLE', severity: 'error' });
      const paused = await start();
      paused.pause();
      cleanUp(() => paused.resume());
      const diagnosis = await diagnose(['--redis', paused.url, ...NAMESPACE, '--timeout-ms', '700']);
      expectFindings(diagnosis, { code: 'STORE_UNREACHABLE', severity: 'error' });
    },
    TIMEOUT_MS,
  );

  it(
    'finds a wrong password',
    async () => {
      const url = await userWith(...LEAST_RIGHTS);
      await operator.call('ACL', 'SETUSER', 'app', 'resetpass', '>another');
      expectFindings(await examine(url), { code: 'CREDENTIALS_REFUSED' });
    },
    TIMEOUT_MS,
  );

  it.each([PASSWORD_IN_URL, `${PASSWORD_IN_URL}:`, `${PASSWORD_IN_URL}:app`])(
    'finds a password in the place of the user, and shows neither it nor a store without its name: %s',
    async (userInfo) => {
      const url = `redis://${userInfo}@127.0.0.1:${server.port}`;
      expectFindings(await examine(url), {
        code: 'CREDENTIALS_REFUSED',
        problem: expect.stringMatching(/^redis namespace "shop": WRONGPASS/),
      });
      for (const command of [['workers'], ['init', '--yes']]) {
        const end = await operate([...command, '--redis', url, ...NAMESPACE]);
        expect(end).toMatchObject({
          code: 1,
          stderr: expect.stringContaining('refuses this client: WRONGPASS'),
        });
      }
    },
    TIMEOUT_MS,
  );

  it.each([
    ['no right at all', ['-@all'], 'EVAL'],
    ['no right to write', LEAST_RIGHTS.filter((rule) => rule !== '+hset'), 'HSET'],
    ['no right to INFO', LEAST_RIGHTS.filter((rule) => rule !== '+info'), 'INFO'],
    ['no right to EVALSHA', LEAST_RIGHTS.filter((rule) => rule !== '+evalsha'), 'EVALSHA'],
    ['another key', ['~snowflake:{audit}', ...LEAST_RIGHTS.slice(1)], ''],
  ])(
    'finds %s',
    async (_fault, rules, command) => {
      expectFindings(await examine(await userWith(...rules)), {
        code: 'RIGHTS_MISSING',
        problem: expect.stringContaining(command),
        remedy: expect.stringContaining(
          `~${KEY} -@all +eval +evalsha +time +info +hget +hset +hmget +hgetall`,
        ),
      });
    },
    TIMEOUT_MS,
  );

  it(
    'names every missing right at once',
    async () => {
      const rules = LEAST_RIGHTS.filter((rule) => !['+hset', '+hgetall', '+time'].includes(rule));
      expectFindings(await examine(await userWith(...rules)), {
        code: 'RIGHTS_MISSING',
        problem: expect.stringMatching(/TIME.*HGETALL.*HSET/),
      });
    },
    TIMEOUT_MS,
  );

  it(
    'finds an eviction policy that may drop the registry',
    async () => {
      await operator.config('SET', 'maxmemory-policy', 'allkeys-lru');
      cleanUp(() => operator.config('SET', 'maxmemory-policy', 'noeviction'));
      expectFindings(await examine(await userWith(...LEAST_RIGHTS)), {
        code: 'EVICTION',
        severity: 'error',
        problem: expect.stringContaining('allkeys-lru'),
        remedy: expect.stringContaining('noeviction'),
      });
      await operator.config('SET', 'maxmemory-policy', 'volatile-lru');
      expectFindings(await examine(server.url));
    },
    TIMEOUT_MS,
  );

  it(
    'finds a Redis that refuses writes, because its memory is full',
    async () => {
      await operator.config('SET', 'maxmemory', '1');
      cleanUp(() => operator.config('SET', 'maxmemory', '0'));
      expectFindings(await examine(server.url), {
        code: 'WRITES_REFUSED',
        problem: expect.stringContaining('OOM'),
      });
    },
    TIMEOUT_MS,
  );

  it(
    'finds a Redis that writes nothing to disk, and explains why that matters',
    async () => {
      await operator.config('SET', 'appendonly', 'no');
      cleanUp(() => operator.config('SET', 'appendonly', 'yes'));
      expectFindings(await examine(server.url), {
        code: 'NOT_PERSISTENT',
        severity: 'warning',
        remedy: expect.stringContaining('appendonly'),
      });
    },
    TIMEOUT_MS,
  );

  it(
    'finds settings that refute the assertion that Redis loses no write',
    async () => {
      const store = `redisLeaseStore({ url: '${server.url}', namespace: 'shop', assumeNoLostWrites: true })`;
      const app = ['--options', files.options(`{ store: ${store} }`)];
      expectFindings(await diagnose(app), {
        code: 'COMMITS_MAY_BE_LOST',
        severity: 'error',
        problem: expect.stringContaining('appendfsync is everysec'),
      });
      await operator.config('SET', 'appendfsync', 'always');
      expectFindings(await diagnose(app));
      await operator.config('SET', 'appendonly', 'no');
      cleanUp(() => operator.config('SET', 'appendonly', 'yes', 'appendfsync', 'everysec'));
      expectFindings(await diagnose(app), {
        code: 'COMMITS_MAY_BE_LOST',
        severity: 'error',
        problem: expect.stringContaining('appendonly is no'),
      });
    },
    TIMEOUT_MS,
  );

  it(
    'finds replicas without minReplicas, a replica in place of its master, and too few replicas',
    async () => {
      const replica = await start('--replicaof', `127.0.0.1 ${server.port}`);
      await waitFor('the replica to follow', TIMEOUT_MS, async () =>
        (await operator.info('replication')).includes('state=online'),
      );
      // The first replica gives its master another history.
      await operator.flushall();
      await operate(['init', '--yes', '--redis', server.url, ...NAMESPACE]);
      expectFindings(await examine(server.url), {
        code: 'REPLICAS_UNPROVEN',
        severity: 'error',
        remedy: expect.stringContaining('minReplicas: 1'),
      });
      expectFindings(await examine(replica.url), { code: 'READ_ONLY_SERVER', severity: 'error' });
      const accepted = ['--accept', 'REPLICAS_UNPROVEN'];
      expectFindings(await diagnose(['--redis', server.url, ...NAMESPACE, ...accepted]));
      const of = (minReplicas: number) =>
        files.options(
          `{ store: redisLeaseStore({ url: '${server.url}', namespace: 'shop', minReplicas: ${minReplicas} }) }`,
        );
      expectFindings(await diagnose(['--options', of(1)]));
      expectFindings(await diagnose(['--options', of(2)]), {
        code: 'REPLICAS_TOO_FEW',
        problem: expect.stringContaining('minReplicas is 2'),
      });
    },
    TIMEOUT_MS,
  );

  it(
    'finds a Sentinel, a node of a cluster, a server outside of a cluster, and another kind of database',
    async () => {
      const sentinel = await startSentinel(server);
      cleanUp(() => sentinel.stop());
      const wrong = (words: string) => ({ code: 'WRONG_SERVER', remedy: expect.stringContaining(words) });
      expectFindings(await examine(`redis://127.0.0.1:${sentinel.port}`), wrong('sentinels'));
      const node = await start('--cluster-enabled', 'yes');
      expectFindings(await examine(node.url), wrong('cluster'));
      const app = files.options(
        `{ store: redisLeaseStore({ cluster: { nodes: ['${server.url}'] }, namespace: 'shop' }) }`,
      );
      expectFindings(await diagnose(['--options', app]), { code: 'WRONG_SERVER' });
      const database = new URL(await databaseFor('postgres', 'doctor-redis'));
      const elsewhere = ['--redis', `redis://app:${PASSWORD_IN_URL}@${database.host}`, ...NAMESPACE];
      // PostgreSQL never answers the questions of a client of Redis, so the whole time passes.
      expectFindings(await diagnose([...elsewhere, '--timeout-ms', '5000']), {
        code: 'WRONG_SERVER',
        problem: expect.stringContaining('is PostgreSQL, not Redis'),
      });
    },
    TIMEOUT_MS,
  );

  it(
    'finds a web server in the place of Redis, and a Redis that does not use TLS',
    async () => {
      const web = createServer((_request, response) => response.end('a page'));
      const port = await listening(web);
      cleanUp(() => web.close());
      const wrong = await examine(`redis://127.0.0.1:${port}`);
      expectFindings(wrong, { code: 'WRONG_SERVER' });
      expect(wrong.stdout).not.toContain('report this');
      const plain = [
        '--redis',
        server.url.replace('redis:', 'rediss:'),
        ...NAMESPACE,
        '--timeout-ms',
        '1000',
      ];
      expectFindings(await diagnose(plain), {
        code: 'STORE_UNREACHABLE',
        problem: expect.stringContaining('TLS'),
        remedy: expect.stringContaining('redis://'),
      });
    },
    TIMEOUT_MS,
  );

  it(
    'finds a database that the server does not have',
    async () => {
      expectFindings(await examine(`${server.url}/99`), { code: 'DATABASE_MISSING' });
    },
    TIMEOUT_MS,
  );

  it.each([
    ['a field', () => operator.hset(KEY, 'window', 'a minute')],
    ['the key', () => operator.set(KEY, 'text')],
  ])(
    'finds a registry that something else has written: %s',
    async (_where, damage) => {
      await damage();
      expectFindings(await examine(server.url), { code: 'REGISTRY_UNREADABLE', severity: 'error' });
    },
    TIMEOUT_MS,
  );

  it(
    'finds an empty namespace, and names init',
    async () => {
      await operator.flushall();
      expectFindings(await examine(server.url), {
        code: 'NAMESPACE_NEW',
        severity: 'warning',
        remedy: expect.stringContaining(' init'),
      });
    },
    TIMEOUT_MS,
  );

  it(
    'finds that new processes wait, as after a restart of the server',
    async () => {
      await operator.hset(KEY, 'historyId', 'another/history');
      expectFindings(await examine(server.url), { code: 'GRANTS_WAIT', severity: 'warning' });
      const [seconds] = await operator.time();
      await operator.hset(KEY, 'grantsAfter', `${Number(seconds) + 600}000`);
      expectFindings(await examine(server.url), {
        code: 'GRANTS_WAIT',
        problem: expect.stringContaining('9 min'),
      });
    },
    TIMEOUT_MS,
  );

  it(
    'finds clocks that differ, which is an error with strictClock',
    async () => {
      const lateHost = {
        env: {
          NODE_OPTIONS: `--import ${new URL('../../../../libs/snowflake-cli/test/fixed-clock.mjs', import.meta.url).href}`,
          FIXED_NOW: new Date(Date.now() - 3_600_000).toISOString(),
        },
      };
      const late = await diagnose(['--redis', server.url, ...NAMESPACE], lateHost);
      expectFindings(late, {
        code: 'CLOCK_DIFFERENCE',
        severity: 'warning',
        problem: expect.stringMatching(/is \d{7} ms behind/),
      });
      const app = files.options(
        `{ store: redisLeaseStore({ url: '${server.url}', namespace: 'shop' }), lease: { strictClock: true } }`,
      );
      const strict = await diagnose(['--options', app], lateHost);
      expectFindings(strict, { code: 'CLOCK_DIFFERENCE', severity: 'error' });
    },
    TIMEOUT_MS,
  );
});
