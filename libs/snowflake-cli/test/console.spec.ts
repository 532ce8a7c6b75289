import { Redis } from 'ioredis';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { sqlLeaseStore } from 'nestjs-snowflake/sql';
import { DataSource } from 'typeorm';
import { statusForHost } from '../../../test/console/support/console-app.js';
import { databaseFor, type RedisServer, startRedis } from '../../../test/support/servers/index.js';
import { runHere } from './run-here.js';
import { holderOn, RunningConsole } from './running-console.js';

let redis: RedisServer;
let client: Redis;
beforeAll(async () => {
  redis = await startRedis();
  client = new Redis(redis.url);
});
afterAll(async () => {
  client?.disconnect();
  await redis?.stop();
});

describe('the command console', () => {
  it('serves the only namespace of a Redis on this machine, and stops on a signal', async () => {
    const withoutNamespace = ['console', '--redis', redis.url];
    expect(await runHere(withoutNamespace)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--namespace shop'),
    });
    await client.set('snowflake:other', 'no registry');
    const shop = await holderOn(redisLeaseStore({ url: redis.url, namespace: 'shop' }));
    const console = await RunningConsole.start('--redis', redis.url);
    expect(console.output).toContain('redis namespace "shop"');
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
    const billing = await holderOn(redisLeaseStore({ url: redis.url, namespace: 'billing' }));
    expect(await runHere(withoutNamespace)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Choose one of: billing, shop.'),
    });
    await Promise.all([shop.stop(), billing.stop()]);
  });

  it('serves the worker IDs of a postgres database', async () => {
    const url = await databaseFor('postgres', 'console');
    const dataSource = await new DataSource({ type: 'postgres', url }).initialize();
    const maker = await holderOn(sqlLeaseStore({ dataSource, namespace: 'shop', createTable: true }));
    const console = await RunningConsole.start('--database', url, '--namespace', 'shop');
    expect(console.output).toMatch(/^postgres (.* )?namespace "shop"/m);
    await console.event('web-1');
    expect(await console.interrupt()).toBe(0);
    await maker.stop();
    await dataSource.destroy();
  });

  it('prints that a namespace is empty, as a misspelled one is', async () => {
    const console = await RunningConsole.start('--redis', redis.url, '--namespace', 'nobody');
    expect(console.output).toContain('redis namespace "nobody" is empty: nothing is stored.');
    expect(await console.interrupt()).toBe(0);
  });

  it('refuses a port that no server can have', async () => {
    const wrong = await runHere(['console', '--redis', redis.url, '--namespace', 'shop', '--port', '70000']);
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('--port') });
  });
});
