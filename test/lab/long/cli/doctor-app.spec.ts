import { Redis } from 'ioredis';
import { FINDING_KINDS } from '../../../../libs/snowflake-cli/src/commands/doctor/findings.js';
import { type RedisServer, startRedis } from '../../../support/servers/index.js';
import { diagnose, expectFindings, Files, operate } from '../../../../libs/snowflake-cli/test/operator.js';

const TIMEOUT_MS = 180_000;
const KEY = 'snowflake:{shop}';

const files = new Files();
let server: RedisServer;
let operator: Redis;

beforeAll(async () => {
  server = await startRedis({ persistence: 'aof' });
  operator = new Redis(server.url);
  await operate(['init', '--yes', '--redis', server.url, '--namespace', 'shop']);
}, TIMEOUT_MS);
afterAll(async () => {
  operator.disconnect();
  await server.stop();
  files.remove();
});

/** Examines an app that leases from the server of this spec, with these further options. */
function examineApp(options: string, nodeEnv = '') {
  const store = `store: redisLeaseStore({ url: '${server.url}', namespace: 'shop' })`;
  const file = files.options(`{ ${store}, ${options} }`);
  return diagnose(['--options', file], { env: { NODE_ENV: nodeEnv } });
}

describe('the doctor on the options of an app', () => {
  it(
    'finds an ignored loss: an error in production, a warning where it may be production, and nothing in development',
    async () => {
      const assumed = "lease: { possibleLoss: 'ignore' }";
      const expected = { code: 'LOSS_IGNORED', remedy: expect.stringContaining(' init') };
      expectFindings(await examineApp(assumed, 'production'), { ...expected, severity: 'error' });
      expectFindings(await examineApp(assumed), { ...expected, severity: 'warning' });
      expectFindings(await examineApp(assumed, 'development'));
      expectFindings(await examineApp("lease: { possibleLoss: 'wait' }", 'production'));
    },
    TIMEOUT_MS,
  );

  it(
    'finds options that the library refuses, a layout that ends, another layout, and other durations',
    async () => {
      expectFindings(await examineApp('workerIds: 4'), {
        code: 'OPTIONS_INVALID',
        problem: expect.stringContaining('workerIds'),
      });
      const ending = `layout: { timestampBits: 40, workerBits: 10, sequenceBits: 12 }, epoch: '1992-06-01T00:00:00Z'`;
      expectFindings(await examineApp(ending), { code: 'LAYOUT_ENDS' }, { code: 'LAYOUT_DIFFERS' });
      expectFindings(await examineApp("epoch: '2025-01-01T00:00:00Z'"), {
        code: 'LAYOUT_DIFFERS',
        severity: 'error',
        problem: expect.stringMatching(/epoch 2024-01-01.*2025-01-01/),
      });
      expectFindings(await examineApp('lease: { windowMs: 120_000 }'), {
        code: 'TIMING_DIFFERS',
        severity: 'warning',
        problem: expect.stringMatching(/windowMs is 120000\b.*\b60000\b.*maxSkewMs is 10000\b.*\b5000\b/),
      });
    },
    TIMEOUT_MS,
  );

  it(
    'finds a namespace that is almost full, and a full one',
    async () => {
      const untilMs = Date.now() + 600_000;
      const hold = async (count: number): Promise<void> => {
        for (let workerId = 0; workerId < count; workerId++)
          await operator.hset(KEY, String(workerId), `${untilMs} 0a1b2c3d4e5f6071:web/${workerId}@1`);
      };
      await operator.hset(KEY, 'layout', `${await operator.hget(KEY, 'layout')}`.replace('0+1024', '0+10'));
      const few = 'lease: { workerCount: 10 }';
      await hold(7);
      expectFindings(await examineApp(few));
      await hold(8);
      expectFindings(await examineApp(few), { code: 'NAMESPACE_NEARLY_FULL', severity: 'warning' });
      await hold(10);
      expectFindings(await examineApp(few), {
        code: 'NAMESPACE_FULL',
        severity: 'error',
        problem: '10 of 10 worker IDs are held.',
      });
      await operator.flushall();
      await operate(['init', '--yes', '--redis', server.url, '--namespace', 'shop']);
    },
    TIMEOUT_MS,
  );

  it(
    'finds a store in memory and createTable in production',
    async () => {
      const production = { env: { NODE_ENV: 'production' } };
      const inMemory = files.options('{ store: memoryLeaseStore() }');
      expectFindings(await diagnose(['--options', inMemory], production), { code: 'MEMORY_STORE' });
      const file = files.path('ids.sqlite');
      await operate([
        'init',
        '--yes',
        '--create-table',
        '--database',
        `sqlite:${file}`,
        '--namespace',
        'shop',
      ]);
      const creating = files.options(
        `{ store: sqlLeaseStore({ namespace: 'shop', createTable: true, dataSource:` +
          ` { type: 'better-sqlite3', driver: libsql, database: '${file}', prepareDatabase } }) }`,
      );
      expectFindings(await diagnose(['--options', creating], production), {
        code: 'CREATE_TABLE',
        severity: 'warning',
      });
    },
    TIMEOUT_MS,
  );

  it(
    'examines a store behind a local window, and does not touch its folder',
    async () => {
      const wrapped = files.options(
        `{ store: withLocalWindow(redisLeaseStore({ url: '${server.url}', namespace: 'shop' }), { file: '/nowhere/window' }) }`,
      );
      expectFindings(await diagnose(['--options', wrapped]));
    },
    TIMEOUT_MS,
  );

  it(
    'prints each finding with its remedy',
    async () => {
      const file = files.options(
        `{ store: redisLeaseStore({ url: '${server.url}', namespace: 'shop' }), lease: { possibleLoss: 'ignore' } }`,
      );
      const { code, stdout } = await operate(['doctor', '--options', file], {
        env: { NODE_ENV: 'production' },
      });
      expect(code).toBe(1);
      expect(stdout).toBe(
        'error LOSS_IGNORED\n' +
          "  lease.possibleLoss is 'ignore'. If the store loses leases while processes run, IDs repeat. NODE_ENV is production.\n" +
          `  ${FINDING_KINDS.LOSS_IGNORED.remedy}\n\n1 error, 0 warnings. ` +
          'Examined: packages, options, server, rights, history, eviction, replicas, persistence, clock, namespace.\n',
      );
      const fine = await operate(['doctor', '--redis', server.url, '--namespace', 'shop']);
      expect(fine.stdout).toMatch(/^No findings\. Examined: packages, server, .*, clock, namespace\.\n$/);
    },
    TIMEOUT_MS,
  );

  it(
    'refuses two stores, and no store, as wrong usage',
    async () => {
      const both = ['--redis', server.url, '--database', 'sqlite:ids.sqlite', '--namespace', 'shop'];
      expect(await operate(['doctor', ...both])).toMatchObject({ code: 2, stdout: '' });
      expect(await operate(['doctor'])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('--redis'),
      });
    },
    TIMEOUT_MS,
  );
});

it(
  'the doctor searches for packages in the folder in which it runs',
  async () => {
    const cwd = files.project('run', { ioredis: '4.30.0' });
    const end = await diagnose(['--redis', server.url, '--namespace', 'shop'], { cwd });
    expectFindings(end, { code: 'PEER_VERSION', problem: expect.stringContaining('ioredis is 4.30.0') });
  },
  TIMEOUT_MS,
);
