import { spawn } from 'node:child_process';
import { request } from 'node:http';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { SnowflakeIdMaker } from 'nestjs-snowflake/standalone';
import { type RedisServer, startRedis } from '../support/servers/index.js';
import { unwatch, watch } from '../support/servers/watch.js';
import { within } from '../support/wait.js';
import { operate } from './operator.js';
import { MAIN } from './run-cli.js';

const PATIENCE_MS = 60_000;
const LEASE = { windowMs: 60_000, onEmptyStore: 'assumeNew' } as const;

/** The status of an answer to a request that names `host`. */
function statusFor(url: string, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(url, { headers: { host } }, (answer) => resolve(answer.resume().statusCode))
      .on('error', reject)
      .end();
  });
}

describe('console', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis?.stop());

  it('serves the workers of a namespace on this machine, and stops when it is asked to', async () => {
    const store = redisLeaseStore({ url: redis.url, namespace: 'shop' });
    const maker = new SnowflakeIdMaker({ store, lease: LEASE, holderName: 'web-1' });
    await maker.start();
    const child = spawn(process.execPath, [MAIN, 'console', '--redis', redis.url, '--namespace', 'shop']);
    watch(child.pid!, 'SIGKILL');
    const ended = new Promise<number | null>((resolve) => {
      child.once('exit', resolve);
    });
    const output = new Promise<string>((resolve) => {
      child.stdout.once('data', (data: Buffer) => resolve(data.toString()));
    });
    const said = await within('an address', PATIENCE_MS, output);
    const url = /http:\/\/127\.0\.0\.1:\d+\//.exec(said)?.[0] ?? '';
    expect(said).toContain('redis namespace "shop"');
    const facts = (await (await fetch(`${url}api/app`)).json()) as { makers: unknown[] };
    expect(facts).toEqual({
      makers: [expect.objectContaining({ layout: expect.objectContaining({ workerBits: 10 }) })],
      segments: false,
      series: false,
    });
    expect((await fetch(`${url}api/ids`, { method: 'POST' })).status).toBe(403);
    const events = (await fetch(`${url}api/events`)).body!.getReader();
    const decoder = new TextDecoder();
    let text = '';
    while (!text.includes('web-1')) text += decoder.decode((await events.read()).value, { stream: true });
    const { host } = new URL(url);
    // Control: the same request, by the address that was printed.
    expect(await statusFor(url, host)).toBe(200);
    expect(await statusFor(url, 'rebound.example')).toBe(421);
    child.kill('SIGINT');
    expect(await within('the end', PATIENCE_MS, ended)).toBe(0);
    unwatch(child.pid!);
    await maker.stop();
  });

  it('refuses a port that no server can have', async () => {
    const wrong = await operate(['console', '--redis', redis.url, '--namespace', 'shop', '--port', '70000']);
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('--port') });
  });
});
