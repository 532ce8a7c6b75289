import { type ChildProcess, spawn } from 'node:child_process';
import { Redis } from 'ioredis';
import libsql from 'libsql';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { sqlLeaseStore } from 'nestjs-snowflake/sql';
import { type LeaseStore, SnowflakeIdMaker } from 'nestjs-snowflake/standalone';
import { prepareDatabase } from 'nestjs-snowflake/typeorm';
import { DataSource } from 'typeorm';
import { statusForHost } from '../console/support/console-app.js';
import { databaseFor, type RedisServer, startRedis } from '../support/servers/index.js';
import { unwatch, watch } from '../support/servers/watch.js';
import { within } from '../support/wait.js';
import { Files, operate } from './operator.js';
import { MAIN } from './run-cli.js';

const PATIENCE_MS = 60_000;
const LEASE = { windowMs: 60_000, possibleLoss: 'ignore' } as const;

let redis: RedisServer;
const files = new Files();
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(async () => {
  files.remove();
  await redis?.stop();
});

/** `npx nestjs-snowflake console`, as it runs in a terminal. */
class RunningConsole {
  private constructor(
    private readonly child: ChildProcess,
    private readonly ended: Promise<number | null>,
    readonly said: string,
  ) {}

  static async start(...args: string[]): Promise<RunningConsole> {
    const child = spawn(process.execPath, [MAIN, 'console', ...args]);
    watch(child.pid!, 'SIGKILL');
    const ended = new Promise<number | null>((resolve) => {
      child.once('exit', resolve);
    });
    const output = new Promise<string>((resolve, reject) => {
      child.stdout.once('data', (data: Buffer) => resolve(data.toString()));
      child.stderr.once('data', (data: Buffer) => reject(new Error(data.toString())));
    });
    return new RunningConsole(child, ended, await within('an address', PATIENCE_MS, output));
  }

  get url(): string {
    return /http:\/\/127\.0\.0\.1:\d+\//.exec(this.said)?.[0] ?? '';
  }

  /** Resolves when an event of the page names this text. */
  async event(text: string): Promise<void> {
    const events = (await fetch(`${this.url}api/events`)).body!.getReader();
    const decoder = new TextDecoder();
    let read = '';
    while (!read.includes(text)) read += decoder.decode((await events.read()).value, { stream: true });
  }

  /** Presses Ctrl+C. @returns the exit code */
  async interrupt(): Promise<number | null> {
    this.child.kill('SIGINT');
    const code = await within('the end', PATIENCE_MS, this.ended);
    unwatch(this.child.pid!);
    return code;
  }
}

async function holderOn(store: LeaseStore): Promise<SnowflakeIdMaker> {
  const maker = new SnowflakeIdMaker({ store, lease: LEASE, holderName: 'web-1' });
  await maker.start();
  return maker;
}

describe('console', () => {
  it('serves the workers of a namespace on this machine, and stops when it is asked to', async () => {
    const maker = await holderOn(redisLeaseStore({ url: redis.url, namespace: 'shop' }));
    const console = await RunningConsole.start('--redis', redis.url, '--namespace', 'shop');
    expect(console.said).toContain('redis namespace "shop"');
    const facts = (await (await fetch(`${console.url}api/app`)).json()) as { makers: unknown[] };
    expect(facts).toEqual({
      kind: 'namespace',
      makers: [
        expect.objectContaining({ name: 'shop', layout: expect.objectContaining({ workerBits: 10 }) }),
      ],
      segments: false,
      series: false,
    });
    expect((await fetch(`${console.url}api/ids`, { method: 'POST' })).status).toBe(403);
    await console.event('web-1');
    const { host } = new URL(console.url);
    // Control: the same request, by the address that was printed.
    expect(await statusForHost(console.url, host)).toBe(200);
    expect(await statusForHost(console.url, 'rebound.example')).toBe(421);
    expect(await console.interrupt()).toBe(0);
    await maker.stop();
  });

  it.each(['postgres', 'mariadb', 'sqlite'] as const)('serves those of a %s database', async (kind) => {
    const url = kind === 'sqlite' ? `sqlite:${files.path('ids.sqlite')}` : await databaseFor(kind, 'console');
    const dataSource = new DataSource(
      kind === 'sqlite'
        ? {
            type: 'better-sqlite3',
            driver: libsql,
            database: files.path('ids.sqlite'),
            prepareDatabase,
          }
        : { type: kind, url },
    );
    const maker = await holderOn(
      sqlLeaseStore({ dataSource: await dataSource.initialize(), namespace: 'shop', createTable: true }),
    );
    const console = await RunningConsole.start('--database', url, '--namespace', 'shop');
    expect(console.said).toMatch(new RegExp(`^${kind} (.* )?namespace "shop"`, 'm'));
    await console.event('web-1');
    expect(await console.interrupt()).toBe(0);
    await maker.stop();
    await dataSource.destroy();
  });

  it('says that a namespace is empty, as a misspelled one is', async () => {
    const console = await RunningConsole.start('--redis', redis.url, '--namespace', 'nobody');
    expect(console.said).toContain('redis namespace "nobody" is empty: nothing is stored.');
    expect(await console.interrupt()).toBe(0);
  });

  it('takes the only namespace of a Redis, and names them if there are several or none', async () => {
    const own = await startRedis();
    const without = () => operate(['console', '--redis', own.url]);
    expect(await without()).toMatchObject({ code: 2, stderr: expect.stringContaining('--namespace shop') });
    const client = new Redis(own.url);
    await client.set('snowflake:other', 'no registry');
    const shop = await holderOn(redisLeaseStore({ url: own.url, namespace: 'shop' }));
    const console = await RunningConsole.start('--redis', own.url);
    expect(console.said).toContain('redis namespace "shop"');
    expect(await console.interrupt()).toBe(0);
    const billing = await holderOn(redisLeaseStore({ url: own.url, namespace: 'billing' }));
    expect(await without()).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Choose one of: billing, shop.'),
    });
    client.disconnect();
    await Promise.all([shop.stop(), billing.stop()]);
    await own.stop();
  });

  it('refuses a port that no server can have', async () => {
    const wrong = await operate(['console', '--redis', redis.url, '--namespace', 'shop', '--port', '70000']);
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('--port') });
  });
});
