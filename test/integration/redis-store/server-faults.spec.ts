import { jest } from '@jest/globals';
import { Redis } from 'ioredis';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import type { LeaseStore } from '../../../libs/snowflake/src/lease/lease-store.js';
import { freePort, startRedis, type RedisOptions, type RedisServer } from '../../support/servers/index.js';
import { waitFor, within } from '../../support/wait.js';
import { claimOf, firstRequest, granted, request, renewed } from './requests.js';
import { cleanUpAfterEach } from '../../support/clean-up.js';

/** Where a call must be answered: longer than a busy machine keeps a server from it. */
const LONG_TIMEOUT_MS = 20_000;
/** Where a call must end without an answer. */
const HASTY_MS = 1000;
/** Far above the bound of a call, far below "never". */
const SETTLES_WITHIN_MS = 20_000;
const UNAVAILABLE = { code: 'SNOWFLAKE_STORE_UNAVAILABLE', retryable: true };

const cleanUp = cleanUpAfterEach();

async function startServer(options?: RedisOptions): Promise<RedisServer> {
  const server = await startRedis(options);
  cleanUp(() => server.stop());
  return server;
}

async function openStore(
  url: string,
  namespace = 'faults',
  callTimeoutMs = LONG_TIMEOUT_MS,
): Promise<LeaseStore> {
  const store = redisLeaseStore({ url, namespace });
  cleanUp(() => store.close());
  await store.open?.({ callTimeoutMs });
  return store;
}

const settled = <T>(call: Promise<T>): Promise<T> => within('the call to settle', SETTLES_WITHIN_MS, call);

/** Repeats a call, as the keeper does, until the store serves again. */
function served<T>(call: () => Promise<T>): Promise<T> {
  return waitFor('the store to serve again', SETTLES_WITHIN_MS, () => call().catch(() => undefined));
}

describe('a server that hangs [promise: fail-closed]', () => {
  it('settles every call while the server hangs, on the old connection and on a new one, and serves again', async () => {
    const server = await startServer();
    const store = await openStore(server.url, 'faults', HASTY_MS);
    await served(() => granted(store.lease(firstRequest('a', { retry: true }))));
    server.pause();
    await expect(settled(store.lease(request('b')))).rejects.toMatchObject(UNAVAILABLE);
    store.reconnect?.();
    await expect(settled(store.lease(request('b', { retry: true })))).rejects.toMatchObject(UNAVAILABLE);
    await expect(settled(store.inspect())).rejects.toMatchObject(UNAVAILABLE);
    server.resume();
    const again = await served(() => granted(store.lease(request('b', { retry: true }))));
    expect(again.workerId).toBe(1);
  });

  it('closes the store while the server hangs', async () => {
    const server = await startServer();
    const store = await openStore(server.url);
    await granted(store.lease(firstRequest('a')));
    server.pause();
    await settled(store.close());
    await expect(store.lease(request('b'))).rejects.toMatchObject(UNAVAILABLE);
  });

  it('keeps one connection after several reconnects', async () => {
    const server = await startServer();
    const store = await openStore(server.url, 'left');
    await granted(store.lease(firstRequest('a')));
    for (let count = 0; count < 3; count += 1) store.reconnect?.();
    await served(() => store.lease(request('b')));
    const observer = new Redis(server.url);
    cleanUp(async () => void (await observer.quit()));
    const connections = await waitFor('the old connections to go', SETTLES_WITHIN_MS, async () => {
      const names = String(await observer.client('LIST')).match(/name=snowflake:left /g) ?? [];
      return names.length <= 1 && names;
    });
    expect(connections).toHaveLength(1);
  });
});

describe('a server that is down', () => {
  it('throws the reason while the server is down, and finds it when it comes up', async () => {
    const consoleError = jest.spyOn(console, 'error');
    cleanUp(async () => consoleError.mockRestore());
    const port = await freePort();
    const store = await openStore(`redis://127.0.0.1:${port}`);
    const call = settled(store.lease(firstRequest('a')));
    await expect(call).rejects.toMatchObject({
      ...UNAVAILABLE,
      message: expect.stringContaining('ECONNREFUSED'),
    });
    await startServer({ port });
    expect((await served(() => granted(store.lease(firstRequest('a'))))).workerId).toBe(0);
    // ioredis prints errors that nobody listens to.
    expect(consoleError).not.toHaveBeenCalled();
  });

  it('closes the store at once while the server is down, whether opened or not', async () => {
    const unopened = redisLeaseStore({ url: 'redis://127.0.0.1:1', namespace: 'n' });
    await expect(settled(unopened.close())).resolves.toBeUndefined();
    const store = await openStore('redis://127.0.0.1:1');
    await expect(settled(store.close())).resolves.toBeUndefined();
    await expect(settled(store.close())).resolves.toBeUndefined();
  });
});

describe('a server that restarts', () => {
  it('lets a holder continue and makes a newcomer wait after a restart without data', async () => {
    const server = await startServer();
    const store = await openStore(server.url);
    await granted(store.lease(firstRequest('a')));
    const holder = await granted(store.lease(request('b')));
    await server.kill();
    await expect(settled(store.lease(request('c', claimOf(holder))))).rejects.toMatchObject(UNAVAILABLE);
    await server.restart();
    const kept = await renewed(
      holder,
      served(() => store.lease(request('c', claimOf(holder)))),
    );
    expect(await store.lease(request('d'))).toMatchObject({ outcome: 'wait', reason: 'empty' });
    expect((await store.inspect()).rows).toMatchObject([{ workerId: 1, fencingToken: kept.fencingToken }]);
  });

  it('lets a holder continue and makes a newcomer wait after a restart with data, because the last second may be lost', async () => {
    const server = await startServer({ persistence: 'aof' });
    const store = await openStore(server.url);
    const holder = await granted(store.lease(firstRequest('a')));
    const before = await store.inspect();
    await server.restart();
    expect(await served(() => store.lease(request('b')))).toMatchObject({
      outcome: 'wait',
      reason: 'history',
    });
    const kept = await renewed(holder, store.lease(request('b', claimOf(holder))));
    const after = await store.inspect();
    expect(after.historyId).not.toBe(before.historyId);
    expect(after.grantsAfterMs).toBeGreaterThan(before.grantsAfterMs ?? Infinity);
    expect(after.rows).toMatchObject([{ workerId: 0, fencingToken: kept.fencingToken }]);
  });
});

describe('a server whose memory is wiped [promise: fail-closed]', () => {
  it('lets a holder carry its claim across FLUSHALL, and makes a newcomer wait', async () => {
    const server = await startServer();
    const [store, wiper] = [await openStore(server.url), new Redis(server.url)];
    cleanUp(async () => void (await wiper.quit()));
    const holder = await granted(store.lease(firstRequest('a')));
    await wiper.flushall();
    expect(await store.lease(request('b'))).toMatchObject({ outcome: 'wait', reason: 'empty' });
    const kept = await renewed(holder, store.lease(request('c', claimOf(holder))));
    expect((await store.inspect()).rows).toMatchObject([{ workerId: 0, fencingToken: kept.fencingToken }]);
  });

  it('sends the scripts again after SCRIPT FLUSH', async () => {
    const server = await startServer();
    const [store, wiper] = [await openStore(server.url), new Redis(server.url)];
    cleanUp(async () => void (await wiper.quit()));
    await granted(store.lease(firstRequest('a')));
    await wiper.script('FLUSH');
    expect((await granted(store.lease(request('b')))).workerId).toBe(1);
    const { workerId, fencingToken, untilMs } = await granted(store.lease(request('c')));
    await wiper.script('FLUSH');
    expect(await store.release({ workerId, fencingToken, lastUsedMs: untilMs })).toEqual({
      outcome: 'released',
    });
  });
});
