import { Redis } from 'ioredis';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { LeaseStore } from 'nestjs-snowflake';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { runHere } from '../../libs/snowflake-cli/test/run-here.js';
import { MarkdownPage } from '../docs/markdown.js';
import { firstRequest, granted, request } from '../integration/redis-store/requests.js';
import { cleanUpAfterEach } from '../support/clean-up.js';
import { requireBinary } from '../support/servers/binaries.js';
import { startRedis, startSentinel, type RedisServer } from '../support/servers/index.js';
import { waitFor } from '../support/wait.js';

const TIMEOUT_MS = 60_000;
const SHORT = { windowMs: 5000, maxSkewMs: 100 };
const page = MarkdownPage.read('docs/operations/redis-failover.md');
const cleanUp = cleanUpAfterEach();

interface Overview {
  readonly workers: readonly { readonly workerId: number; readonly holder: string }[];
}

async function start(...args: string[]): Promise<[server: RedisServer, operator: Redis]> {
  const server = await startRedis({ args: ['--repl-diskless-sync-delay', '0', ...args] });
  cleanUp(() => server.stop());
  const operator = new Redis(server.url);
  cleanUp(() => operator.disconnect());
  return [server, operator];
}

async function openStore(url: string): Promise<LeaseStore> {
  const store = redisLeaseStore({ url, namespace: 'shop' });
  cleanUp(() => store.close());
  await store.open?.({ callTimeoutMs: 30_000 });
  return store;
}

/** Runs the first redis-cli command of the page that begins so, on one of these servers. */
async function redisCli(
  beginning: string,
  servers: Readonly<Record<string, Redis>>,
  replaced: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  const [, words = ''] = new RegExp(`redis-cli -h (${beginning}[^\\n\`]*)`).exec(page.text) ?? [];
  const [host = '', ...rest] = words.replace(/ -p \d+/, '').split(' ');
  const [command = '', ...args] = rest.map((word) => replaced[word] ?? word);
  return servers[host]!.call(command, ...args);
}

/** What the command of the page that writes to this file prints, with the addresses of the test. */
async function save(file: string, hosts: Readonly<Record<string, string>>): Promise<Overview> {
  const [, words = ''] = new RegExp(`npx nestjs-snowflake-cli (.*) > ${file}`).exec(page.text) ?? [];
  const args = words.split(' ').map((word) => hosts[word] ?? word);
  const { stdout } = await runHere(args, [], Date.now);
  return JSON.parse(stdout) as Overview;
}

/** What the command of the page that compares the saved registries prints for this time. */
async function compared([old, next]: readonly Overview[], afterMs: number): Promise<string> {
  requireBinary('jq');
  const folder = await mkdtemp(join(tmpdir(), 'failover-'));
  cleanUp(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'old.json'), JSON.stringify(old));
  await writeFile(join(folder, 'new.json'), JSON.stringify(next));
  // In a list, so that the page has it indented.
  const [command = ''] = /jq -[^`]+?new\.json$/m.exec(page.text) ?? [];
  const after = new Date(afterMs).toISOString();
  const script = command.replace(/(?<=--arg after )\S+/, after);
  const { stdout } = await promisify(execFile)('bash', ['-c', script], { cwd: folder });
  return stdout;
}

describe('the page about a failover of Redis', () => {
  it('finds the worker ID that two masters have granted, and what it reads is gone when one follows the other', async () => {
    const [old, oldOperator] = await start();
    const [next, nextOperator] = await start('--replicaof', '127.0.0.1', String(old.port));
    await waitFor('the replica to follow', TIMEOUT_MS, async () =>
      /state=online/.test(await oldOperator.info('replication')),
    );
    const oldStore = await openStore(old.url);
    await granted(oldStore.lease(firstRequest('0:web-1/1', SHORT)));
    await waitFor('the replica to have the lease', TIMEOUT_MS, async () => {
      return (await nextOperator.hlen('snowflake:{shop}')) > 0;
    });

    await nextOperator.replicaof('NO', 'ONE');
    const promotedMs = Date.now();
    const servers = { 'redis-1': oldOperator, 'redis-2': nextOperator };
    expect(await redisCli('redis-1 INFO', servers)).toContain('role:master');
    expect(await redisCli('redis-2 INFO', servers)).toContain('role:master');
    await granted(oldStore.lease(request('1:web-2/1', SHORT)));
    const nextStore = await openStore(next.url);
    await waitFor('a grant of the new master', TIMEOUT_MS, async () => {
      return (await nextStore.lease(request('2:web-3/1', SHORT))).outcome === 'new';
    });

    const hosts = { 'redis://redis-1:6379': old.url, 'redis://redis-2:6379': next.url };
    const registries = [await save('old.json', hosts), await save('new.json', hosts)];
    const [shown = ''] = /\{"workerId".*\n/.exec(page.text) ?? [];
    expect(await compared(registries, promotedMs + SHORT.windowMs)).toBe(shown);
    expect(await compared(registries, promotedMs + 3 * SHORT.windowMs)).toBe('');
    // A pod that was created again has the name of the one before.
    const oneName = registries.map(({ workers }) => ({
      workers: workers.map((worker) => ({ ...worker, holder: 'web-2/1' })),
    }));
    const ofOneName = '{"workerId":1,"old":"web-2/1","new":"web-2/1"}\n';
    expect(await compared(oneName, promotedMs + SHORT.windowMs)).toBe(ofOneName);

    const address = { 'redis-2': '127.0.0.1', '6379': String(next.port) };
    await redisCli('redis-1 REPLICAOF', servers, address);
    await waitFor('the old master to follow', TIMEOUT_MS, async () => {
      const [row] = (await save('old.json', hosts)).workers.filter(({ workerId }) => workerId === 1);
      return row?.holder === 'web-3/1';
    });
    expect(await redisCli('redis-1 INFO', servers)).toContain('role:slave');
  });

  it('asks Sentinel for the new master', async () => {
    const [old, oldOperator] = await start();
    const [next] = await start('--replicaof', '127.0.0.1', String(old.port));
    await waitFor('the replica to follow', TIMEOUT_MS, async () =>
      /state=online/.test(await oldOperator.info('replication')),
    );
    const sentinel = await startSentinel(old);
    cleanUp(() => sentinel.stop());
    const operator = new Redis({ port: sentinel.port });
    cleanUp(() => operator.disconnect());
    const master = (): Promise<unknown> =>
      redisCli('sentinel-1 -p 26379', { 'sentinel-1': operator }, { mymaster: sentinel.masterName });
    expect(await master()).toEqual(['127.0.0.1', String(old.port)]);
    // It refuses until it knows a replica that can take over.
    await waitFor('Sentinel to begin the failover', TIMEOUT_MS, async () => {
      const reply = await operator.call('SENTINEL', 'FAILOVER', sentinel.masterName).catch(() => undefined);
      return reply === 'OK';
    });
    await waitFor('the failover', TIMEOUT_MS, async () => {
      return String(await master()) === `127.0.0.1,${next.port}`;
    });
  });
});
