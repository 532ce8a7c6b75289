import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { systemClock } from '../../../snowflake/src/core/clock/system-clock.js';
import {
  StoreRejectedError,
  StoreUnavailableError,
} from '../../../snowflake/src/core/errors/lease-errors.js';
import { deadlineIn } from '../../../snowflake/src/kit/call-deadline.js';
import type { LeaseStore } from '../../../snowflake/src/lease/lease-store.js';
import { FAR_DEADLINE, requestOf } from '../../../snowflake/src/stores/port/store-under-test.js';
import { ZookeeperConnection } from '../../src/zookeeper/zookeeper-lease-store.js';
import { startZookeeper, type ZookeeperServer } from '../../../../test/support/servers/index.js';
import { TcpProxy } from '../../../../test/support/proxies/tcp-proxy.js';
import { type AlterPort, firstGrant, freshNamespace, leaseFor, openStore } from './support/stores.js';

/** Only a write of this worker ID has it. */
const ROW = '/w/0000000001';
let zookeeper: ZookeeperServer;
let relay: TcpProxy;
const stores: LeaseStore[] = [];

beforeAll(async () => {
  zookeeper = await startZookeeper({ members: 1 });
  relay = await TcpProxy.start(Number(zookeeper.connectString.split(':')[1]));
});
afterEach(async () => {
  relay.rules = {};
  await Promise.all(stores.splice(0).map((store) => store.close()));
});
afterAll(async () => {
  await relay.close();
  await zookeeper.stop();
});

interface Choices {
  readonly connectString?: string;
  readonly namespace?: string;
  readonly alter?: AlterPort;
  readonly assumeNoLostWrites?: boolean;
}

function storeWith(choices: Choices = {}): LeaseStore & { reconnect(): void } {
  const {
    alter,
    assumeNoLostWrites = true,
    connectString = relay.address,
    namespace = freshNamespace(),
  } = choices;
  const store = openStore({ connectString, namespace, assumeNoLostWrites }, alter);
  stores.push(store);
  return store;
}

describe('a lost reply of ZooKeeper', () => {
  it('leaves a grant that the retry finds', async () => {
    const namespace = freshNamespace();
    const store = storeWith({ namespace });
    await firstGrant(store);
    let isWriting = false;
    relay.rules = {
      fromClient: (bytes) => {
        isWriting ||= bytes.includes(ROW);
        return bytes;
      },
      fromServer: (bytes) => (isWriting ? undefined : bytes),
    };
    await expect(leaseFor(store, 2)).rejects.toThrow(StoreUnavailableError);
    expect(isWriting).toBe(true);
    relay.rules = {};
    expect(await leaseFor(store, 2, { retry: true })).toMatchObject({ outcome: 'new', workerId: 1 });
    expect(await leaseFor(store, 3)).toMatchObject({ outcome: 'new', workerId: 2 });
  });

  it('makes the next call go to the next server', async () => {
    const store = storeWith({ connectString: `${relay.address},${zookeeper.connectString}` });
    relay.rules = { fromServer: () => undefined };
    await expect(firstGrant(store)).rejects.toThrow(StoreUnavailableError);
    expect(await firstGrant(store)).toMatchObject({ workerId: 0 });
  });
});

describe('a ZooKeeper that stops answering', () => {
  it('ends the call at its deadline, and does nothing later', async () => {
    const store = storeWith({ connectString: zookeeper.connectString });
    await firstGrant(store);
    const before = await store.inspect();
    await zookeeper.members[0]!.pause();
    try {
      const call = store.lease(requestOf(2), deadlineIn(systemClock, 700));
      await expect(call).rejects.toThrow(StoreUnavailableError);
    } finally {
      zookeeper.members[0]!.resume();
    }
    expect((await store.inspect()).rows).toEqual(before.rows);
  });

  it('ends a call that would connect to it, too', async () => {
    const store = storeWith({ connectString: zookeeper.connectString });
    await zookeeper.members[0]!.pause();
    try {
      const call = store.lease(requestOf(2), deadlineIn(systemClock, 300));
      await expect(call).rejects.toThrow(StoreUnavailableError);
    } finally {
      zookeeper.members[0]!.resume();
    }
  });
});

describe('the connection of an attempt on ZooKeeper', () => {
  it('carries its reading and its write: after it has gone, the call reads again', async () => {
    let readings = 0;
    let writes = 0;
    const cutting = storeWith({
      alter: (port) => ({
        read: (keys) => {
          readings += 1;
          return port.read(keys);
        },
        commit: (changes) => {
          if (writes === 0) cutting.reconnect();
          writes += 1;
          return port.commit(changes);
        },
      }),
    });
    await firstGrant(cutting);
    expect([readings, writes]).toEqual([2, 2]);
  });
});

describe('two writes of ZooKeeper that have read the same', () => {
  const connection = (): ZookeeperConnection =>
    new ZookeeperConnection('a test', {
      connectString: zookeeper.connectString,
      namespace: 'versions',
      assumeNoLostWrites: true,
    });

  /** A node of version 0, and two attempts that have read it. */
  async function twoReaders() {
    const [key, connections] = [freshNamespace(), [connection(), connection()]];
    const [first, second] = connections.map((each) => each.port(FAR_DEADLINE));
    if (!first || !second) throw new Error('expected two ports');
    await first.read([key]);
    await first.commit({ conditions: new Map([[key, undefined]]), puts: new Map([[key, 'new']]) });
    const readings = [await first.read([key]), await second.read([key])];
    const versions = readings.map(({ entries }) => entries.get(key)?.version);
    const valueOf = async () => (await second.read([key])).entries.get(key)?.value;
    const close = () => Promise.all(connections.map((each) => each.close()));
    return { key, first, second, versions, valueOf, close };
  }

  it('take effect once on a new node, which has version 0', async () => {
    const { close, first, key, second, valueOf, versions } = await twoReaders();
    expect(versions).toEqual(['0', '0']);
    const conditions = new Map([[key, '0']]);
    expect(await first.commit({ conditions, puts: new Map([[key, 'first']]) })).toBe(true);
    expect(await second.commit({ conditions, puts: new Map([[key, 'second']]) })).toBe(false);
    expect(await valueOf()).toBe('first');
    await close();
  });

  it('overwrite each other with the version of any node (control)', async () => {
    const { close, first, key, second, valueOf } = await twoReaders();
    const conditions = new Map([[key, '-1']]);
    expect(await first.commit({ conditions, puts: new Map([[key, 'first']]) })).toBe(true);
    expect(await second.commit({ conditions, puts: new Map([[key, 'second']]) })).toBe(true);
    expect(await valueOf()).toBe('second');
    await close();
  });
});

describe('a header that somebody else has put back on ZooKeeper', () => {
  it('makes new processes wait, and keeps holders', async () => {
    const namespace = freshNamespace();
    const options = { connectString: zookeeper.connectString, namespace, assumeNoLostWrites: true };
    const store = storeWith(options);
    const { workerId, fencingToken, untilMs } = await firstGrant(store);
    const operator = new ZookeeperConnection('a test', options);
    const header = (await operator.port(FAR_DEADLINE).read(['header'])).entries.get('header')?.value ?? '';
    const port = operator.port(FAR_DEADLINE);
    await port.read(['header']);
    await port.commit({ conditions: new Map(), puts: new Map([['header', header]]) });
    await operator.close();
    expect(await leaseFor(store, 2)).toMatchObject({ outcome: 'wait', reason: 'history' });
    const kept = await leaseFor(store, 3, { claim: { workerId, fencingToken, untilMs } });
    expect(kept.outcome).toBe('kept');
  });
});

describe('a server that is no ensemble of ZooKeeper', () => {
  it('rejects a start for good if it tells no mode', async () => {
    relay.rules = {
      fromServer: (bytes) => (bytes.includes('Mode: ') ? Buffer.from('srvr is not enabled') : bytes),
    };
    const refusal = firstGrant(storeWith({ assumeNoLostWrites: false }));
    await expect(refusal).rejects.toThrow(StoreRejectedError);
    await expect(refusal).rejects.toThrow(/whitelist/);
  });

  it('rejects a start for now if it does not serve yet', async () => {
    relay.rules = {
      fromServer: (bytes) =>
        bytes.includes('Mode: ')
          ? Buffer.from('This ZooKeeper instance is not currently serving requests\n')
          : bytes,
    };
    const refusal = firstGrant(storeWith({ assumeNoLostWrites: false }));
    await expect(refusal).rejects.toThrow(StoreUnavailableError);
  });

  it('rejects a start for good if its epoch is 0, whatever mode it tells', async () => {
    relay.rules = {
      fromServer: (bytes) =>
        Buffer.from(bytes.toString('latin1').replace('standalone', 'follower'), 'latin1'),
    };
    await expect(firstGrant(storeWith({ assumeNoLostWrites: false }))).rejects.toThrow(StoreRejectedError);
  });

  it('rejects a start for good if it is something else', async () => {
    const other = createServer((socket) => socket.resume().end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    await expect(firstGrant(storeWith({ connectString: `127.0.0.1:${port}` }))).rejects.toThrow(
      StoreRejectedError,
    );
    await new Promise((resolve) => other.close(resolve));
  });
});
