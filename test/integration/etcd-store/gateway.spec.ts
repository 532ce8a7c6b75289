import {
  StoreRejectedError,
  StoreUnavailableError,
} from '../../../libs/snowflake/src/core/errors/lease-errors.js';
import { deadlineIn } from '../../../libs/snowflake/src/lease/call-deadline.js';
import { systemClock } from '../../../libs/snowflake/src/core/clock/system-clock.js';
import { requestOf } from '../../../libs/snowflake/src/store-testing/store-under-test.js';
import { type EtcdServer, startEtcd } from '../../support/servers/index.js';
import { Front } from './support/front.js';
import { firstGrant, freshNamespace, leaseFor, openStore } from './support/stores.js';

const HOUR_MS = 3_600_000;
const READ_AND_COMMIT = ['/v3/kv/txn', '/v3/kv/txn'];
let etcd: EtcdServer;
let front: Front;

beforeAll(async () => {
  etcd = await startEtcd();
  front = await Front.start(etcd.url);
});
beforeEach(() => {
  front.rules = {};
  front.requests.length = 0;
});
afterAll(async () => {
  await front.close();
  await etcd.stop();
});

function frontStore() {
  return openStore({ url: front.url, namespace: freshNamespace() });
}

describe('the clock of etcd', () => {
  it.each([HOUR_MS, -HOUR_MS])('follows the date of its replies, which is %d ms off', async (offMs) => {
    front.rules = {
      headers: (headers) =>
        headers.set('date', new Date(Date.parse(headers.get('date') ?? '') + offMs).toUTCString()),
    };
    const store = frontStore();
    const { storeNowMs } = await firstGrant(store);
    expect(Math.abs(storeNowMs - offMs - Date.now())).toBeLessThan(HOUR_MS / 2);
    await store.close();
  });

  it.each([
    ['is missing', (headers: Headers) => headers.delete('date')],
    ['can not be read', (headers: Headers) => headers.set('date', 'soon')],
  ])('fails if the date of a reply %s', async (_, headers) => {
    front.rules = { headers };
    const store = frontStore();
    await expect(firstGrant(store)).rejects.toThrow(StoreRejectedError);
    await store.close();
  });
});

describe('a renewal', () => {
  it('waits twice: for one reading, with the state of the log beside it, and for one write', async () => {
    const store = frontStore();
    const { workerId, fencingToken, untilMs } = await firstGrant(store);
    front.requests.length = 0;
    await leaseFor(store, 2, { claim: { workerId, fencingToken, untilMs } });
    const [status, others] = [true, false].map((isStatus) =>
      front.requests
        .filter(({ path }) => (path === '/v3/maintenance/status') === isStatus)
        .map(({ path }) => path),
    );
    expect([status?.length, others]).toEqual([1, READ_AND_COMMIT]);
    await store.close();
  });

  it('never asks for a reading that a server without a majority answers', async () => {
    const store = frontStore();
    await firstGrant(store);
    await leaseFor(store, 2, { retry: true, preferOffline: true });
    await store.inspect();
    expect(front.requests.filter(({ body }) => body.includes('serializable'))).toEqual([]);
    await store.close();
  });
});

describe('a member that shows its log to nobody', () => {
  it('serves, and the store warns once', async () => {
    front.rules = { forbids: '/v3/maintenance/status' };
    const warnings: string[] = [];
    const store = openStore({ url: front.url, namespace: freshNamespace() }, undefined, {
      warn: (message) => void warnings.push(message),
    });
    for (const assumeNew of [true, false])
      expect(await leaseFor(store, 1, { assumeNew, maxSkewMs: 2000 })).toMatchObject({ outcome: 'new' });
    expect(warnings).toHaveLength(1);
    await store.close();
  });
});

describe('a maxSkewMs below the resolution of the clocks that etcd shows', () => {
  it.each([
    [1999, 1],
    [2000, 0],
  ])('%d ms: the store warns %d times', async (maxSkewMs, times) => {
    const warnings: string[] = [];
    const store = openStore({ url: etcd.url, namespace: freshNamespace() }, undefined, {
      warn: (message) => void warnings.push(message),
    });
    for (const assumeNew of [true, false]) await leaseFor(store, 1, { assumeNew, maxSkewMs });
    expect(warnings).toHaveLength(times);
    await store.close();
  });
});

describe('a lost reply', () => {
  it('leaves a grant that the retry finds', async () => {
    const store = frontStore();
    await firstGrant(store);
    front.rules = { drops: ({ body }) => body.includes('request_put') };
    await expect(leaseFor(store, 2)).rejects.toThrow(StoreUnavailableError);
    front.rules = {};
    expect(await leaseFor(store, 2, { retry: true })).toMatchObject({ outcome: 'new', workerId: 1 });
    expect(await leaseFor(store, 3)).toMatchObject({ outcome: 'new', workerId: 2 });
    await store.close();
  });

  it('makes the next call go to the next member', async () => {
    const store = openStore({ urls: [front.url, etcd.url], namespace: freshNamespace() });
    front.rules = { drops: () => true };
    await expect(firstGrant(store)).rejects.toThrow(StoreUnavailableError);
    expect(await firstGrant(store)).toMatchObject({ workerId: 0 });
    await store.close();
  });
});

describe('a server that stops answering', () => {
  it('ends the call at its deadline, and does nothing later', async () => {
    const store = openStore({ url: etcd.url, namespace: freshNamespace() });
    await firstGrant(store);
    const before = await store.inspect();
    await etcd.members[0]!.pause();
    try {
      const call = store.lease(requestOf(2), deadlineIn(systemClock, 700));
      await expect(call).rejects.toThrow(StoreUnavailableError);
    } finally {
      etcd.members[0]!.resume();
    }
    store.reconnect();
    expect((await store.inspect()).rows).toEqual(before.rows);
    await store.close();
  });
});

describe('the connection of an attempt', () => {
  it('carries its reading and its write: after another one began, the call reads again', async () => {
    const store = frontStore();
    await firstGrant(store);
    front.requests.length = 0;
    let isCut = false;
    const cutting = openStore({ url: front.url, namespace: freshNamespace() }, (port) => ({
      commit: (changes) => {
        if (!isCut) cutting.reconnect();
        isCut = true;
        return port.commit(changes);
      },
    }));
    await firstGrant(cutting);
    const steps = front.requests.filter(({ path }) => path === '/v3/kv/txn');
    const writes = steps.filter(({ body }) => body.includes('request_put'));
    const readings = steps.filter(({ body }) => !body.includes('request_put'));
    expect(writes).toHaveLength(1);
    expect(readings.map(({ connection }) => connection)).toContain(writes[0]?.connection);
    expect(new Set(readings.map(({ connection }) => connection)).size).toBe(2);
    await Promise.all([store.close(), cutting.close()]);
  });
});

describe('an address of something else', () => {
  it('rejects a start for good', async () => {
    const store = openStore({ url: etcd.members[0]!.peerUrl, namespace: freshNamespace() });
    await expect(firstGrant(store)).rejects.toThrow(StoreRejectedError);
    await store.close();
  });
});
