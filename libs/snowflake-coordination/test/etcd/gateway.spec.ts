import {
  StoreRejectedError,
  StoreUnavailableError,
} from '../../../snowflake/src/core/errors/lease-errors.js';
import { deadlineIn } from '../../../snowflake/src/kit/call-deadline.js';
import { systemClock } from '../../../snowflake/src/core/clock/system-clock.js';
import { requestOf } from '../../../snowflake/src/stores/port/store-under-test.js';
import { type EtcdServer, startEtcd } from '../../../../test/support/servers/index.js';
import { Front } from './support/front.js';
import { firstGrant, freshNamespace, leaseFor, openStore } from './support/stores.js';

const HOUR_MS = 3_600_000;
const READ_AND_COMMIT = ['/v3/kv/txn', '/v3/kv/txn'];
const BESIDE: ReadonlySet<string> = new Set(['/v3/lease/timetolive', '/v3/maintenance/status']);
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
  it('waits twice: for one reading, with the states of the log and of the leader beside it, and for one write', async () => {
    const store = frontStore();
    const { workerId, fencingToken, untilMs } = await firstGrant(store);
    front.requests.length = 0;
    await leaseFor(store, 2, { claim: { workerId, fencingToken, untilMs } });
    const paths = front.requests.map(({ path }) => path);
    expect(paths.filter((path) => BESIDE.has(path)).sort()).toEqual([...BESIDE]);
    expect(paths.filter((path) => !BESIDE.has(path))).toEqual(READ_AND_COMMIT);
    // The write comes last.
    expect(paths.at(-1)).toBe(READ_AND_COMMIT[1]);
    await store.close();
  });

  it('never asks for a reading that a server without a majority answers', async () => {
    const store = frontStore();
    await firstGrant(store);
    await leaseFor(store, 2, { retry: true, preferLongestOffline: true });
    await store.inspect();
    expect(front.requests.filter(({ body }) => body.includes('serializable'))).toEqual([]);
    await store.close();
  });
});

describe('a member that shows its log to the root user only', () => {
  it('serves', async () => {
    front.rules = { forbids: '/v3/maintenance/status' };
    const store = frontStore();
    for (const assumeNew of [true, false])
      expect(await leaseFor(store, 1, { assumeNew })).toMatchObject({ outcome: 'new' });
    await store.close();
  });
});

describe('the moment since when the leader leads', () => {
  it('is the age of one lease of etcd, which all namespaces share', async () => {
    for (const store of [frontStore(), frontStore()]) {
      await firstGrant(store);
      await store.close();
    }
    expect((await etcd.control('lease', 'list')).trim().split('\n')).toEqual([
      'found 1 leases',
      Buffer.from('snowflak').toString('hex'),
    ]);
  });

  it.each([
    [1000, 'new'],
    [5000, 'wait'],
  ])(
    'is compared by the clock of the member: after it jumps %d ms ahead, the reply is "%s"',
    async (offMs, outcome) => {
      const store = frontStore();
      await firstGrant(store);
      front.rules = {
        headers: (headers) =>
          headers.set('date', new Date(Date.parse(headers.get('date') ?? '') + offMs).toUTCString()),
      };
      expect((await leaseFor(store, 2)).outcome).toBe(outcome);
      await store.close();
    },
  );
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
