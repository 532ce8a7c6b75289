import { cpSync } from 'node:fs';
import { join } from 'node:path';
import type { LeaseReply, LeaseStore } from '../../../../libs/snowflake/src/lease/lease-store.js';
import { WindowLedger } from '../../../../libs/snowflake/src/stores/port/window-ledger.js';
import type { KeyValueServer } from '../../../../libs/snowflake-coordination/src/key-value/key-value-port.js';
import type { KeyValueLeaseStore } from '../../../../libs/snowflake-coordination/src/key-value/key-value-lease-store.js';
import { Front } from '../../../../libs/snowflake-coordination/test/etcd/support/front.js';
import {
  firstGrant,
  freshNamespace,
  leaseFor,
  openStore,
  type AlterPort,
} from '../../../../libs/snowflake-coordination/test/etcd/support/stores.js';
import { type EtcdMember, type EtcdServer, startEtcd } from '../../../support/servers/index.js';
import { makeDirectory, removeDirectory } from '../../../support/servers/server-process.js';
import { untilSuccess } from '../../../support/wait.js';

const SERVES_WITHIN_MS = 20_000;

type Grant = Extract<LeaseReply, { outcome: 'new' }>;

/** Controls: what the store compares is taken away. */
const seeing =
  (alterServer: (server: KeyValueServer) => KeyValueServer): AlterPort =>
  (port) => ({
    read: async (keys) => {
      const { entries, server } = await port.read(keys);
      return { entries, server: alterServer(server) };
    },
  });
const withoutMarks = seeing(({ nowMs, historyId }) => ({ nowMs, historyId, positionAtMost: undefined }));
const withoutLeader = seeing(({ ledSince: _, ...server }) => server);
const withoutHistory = seeing(({ nowMs }) => ({ nowMs, historyId: 'constant', positionAtMost: undefined }));

const ALL_DETECTED: AlterPort = () => ({});
const MINUTE_MS = 60_000;
const fronts: Front[] = [];
const servers: EtcdServer[] = [];
const stores: KeyValueLeaseStore[] = [];
let files: string;

beforeEach(() => {
  files = makeDirectory('etcd-history');
});
afterEach(async () => {
  await Promise.all(stores.splice(0).map((store) => store.close()));
  await Promise.all(fronts.splice(0).map((front) => front.close()));
  await Promise.all(servers.splice(0).map((server) => server.stop()));
  removeDirectory(files);
});

async function etcdWith(members: 1 | 3): Promise<EtcdServer> {
  const etcd = await startEtcd({ members });
  servers.push(etcd);
  return etcd;
}

function storeOn(
  etcd: EtcdServer,
  namespace: string,
  alter?: AlterPort,
  member?: EtcdMember,
): KeyValueLeaseStore {
  const store = openStore({ urls: member ? [member.url] : etcd.urls, namespace }, alter);
  stores.push(store);
  return store;
}

async function renewed(store: LeaseStore, { workerId, fencingToken, untilMs }: Grant): Promise<LeaseReply> {
  return answered(() => leaseFor(store, 9, { claim: { workerId, fencingToken, untilMs } }));
}

/** The first calls may find a member that doesn't serve yet. */
const answered = (call: () => Promise<LeaseReply>): Promise<LeaseReply> =>
  untilSuccess(SERVES_WITHIN_MS, call);

function overlapsOf(...grants: readonly LeaseReply[]): string[] {
  const ledger = new WindowLedger();
  for (const grant of grants) if (grant.outcome === 'new') ledger.grant(grant);
  return ledger.overlaps();
}

interface LogAnswer {
  readonly header: { readonly revision: string };
  readonly raftIndex: string;
}

async function answerOf({ url }: EtcdServer, method: string, body: object): Promise<LogAnswer> {
  const response = await fetch(`${url}/v3/${method}`, { method: 'POST', body: JSON.stringify(body) });
  return (await response.json()) as LogAnswer;
}

/** The number of entries in the log that made no revision. */
async function positionOf(etcd: EtcdServer): Promise<number> {
  const { header, raftIndex } = await answerOf(etcd, 'maintenance/status', {});
  return Number(raftIndex) - Number(header.revision);
}

/** Another client compares and swaps, and fails: an entry in the log, and nothing else. */
async function failToWrite(etcd: EtcdServer): Promise<void> {
  const key = Buffer.from('other').toString('base64');
  const compare = [{ key, target: 'VERSION', result: 'EQUAL', version: '1000' }];
  await answerOf(etcd, 'kv/txn', { compare, success: [{ request_put: { key, value: key } }] });
}

function addTo(headers: Headers, ms: number): void {
  headers.set('date', new Date(Date.parse(headers.get('date') ?? '') + ms).toUTCString());
}

/** Snapshots an etcd, makes a grant that the snapshot lacks, restores it, and asks for another grant. */
async function grantsAroundRestore(
  members: 1 | 3,
  alter: AlterPort,
): Promise<readonly [lost: LeaseReply, next: LeaseReply]> {
  const etcd = await etcdWith(members);
  const store = storeOn(etcd, freshNamespace(), alter);
  await firstGrant(store);
  const snapshot = join(files, 'snapshot.db');
  await etcd.control('snapshot', 'save', snapshot, '--endpoints', etcd.url);
  const lost = await leaseFor(store, 2);
  await etcd.restore(snapshot);
  return [lost, await answered(() => leaseFor(store, 3))];
}

describe('a snapshot that is restored with the flags of the cluster [promise: after-loss]', () => {
  it.each([1, 3] as const)('makes new processes wait, with %d members', async (members) => {
    const [lost, next] = await grantsAroundRestore(members, ALL_DETECTED);
    expect([lost.outcome, next]).toEqual([
      'new',
      expect.objectContaining({ outcome: 'wait', reason: 'history' }),
    ]);
  });

  it('lets two grants overlap if only the cluster and the term are compared (control)', async () => {
    // A single member is elected at once, so the terms are equal.
    expect(overlapsOf(...(await grantsAroundRestore(1, withoutMarks)))).toHaveLength(1);
  });

  /** The snapshot is restored after a call has read and before it writes. */
  async function grantsAroundCall(isPinned: boolean): Promise<readonly LeaseReply[]> {
    const etcd = await etcdWith(1);
    const namespace = freshNamespace();
    const store = storeOn(etcd, namespace);
    await firstGrant(store);
    const snapshot = join(files, 'snapshot.db');
    const grants: LeaseReply[] = [];
    const slow = storeOn(etcd, namespace, (port, another) => ({
      commit: async (changes) => {
        if (grants.length > 0) return port.commit(changes);
        await etcd.control('snapshot', 'save', snapshot);
        grants.push(await leaseFor(store, 2));
        await etcd.restore(snapshot);
        return (isPinned ? port : another()).commit(changes);
      },
    }));
    return [await leaseFor(slow, 3), ...grants];
  }

  it('makes a call read again that has read before the restore and would write after it', async () => {
    const [slow, lost] = await grantsAroundCall(true);
    expect([slow?.outcome, lost?.outcome]).toEqual(['wait', 'new']);
  });

  it('lets two grants overlap if the call writes on another connection (control)', async () => {
    expect(overlapsOf(...(await grantsAroundCall(false)))).toHaveLength(1);
  });
});

describe('a snapshot that is restored a minute later, and a log that others let grow without writing anything [promise: after-loss]', () => {
  /** Restores a snapshot as {@link grantsAroundRestore}, and lifts the position of the new log over that of the header. */
  async function grantsAroundGrowth(
    alter: AlterPort,
    forbids?: string,
  ): Promise<readonly [lost: LeaseReply, next: LeaseReply]> {
    const etcd = await etcdWith(1);
    const front = await Front.start(etcd.url);
    fronts.push(front);
    if (forbids !== undefined) front.rules = { forbids };
    const store = openStore({ url: front.url, namespace: freshNamespace() }, alter);
    stores.push(store);
    await firstGrant(store);
    const snapshot = join(files, 'snapshot.db');
    await etcd.control('snapshot', 'save', snapshot);
    const lost = await leaseFor(store, 2);
    const before = await positionOf(etcd);
    await etcd.restore(snapshot);
    while ((await positionOf(etcd)) <= before) await failToWrite(etcd);
    front.rules = { ...front.rules, headers: (headers) => addTo(headers, MINUTE_MS) };
    return [lost, await answered(() => leaseFor(store, 3))];
  }

  it('makes new processes wait', async () => {
    const [lost, next] = await grantsAroundGrowth(ALL_DETECTED);
    expect([lost.outcome, next]).toEqual([
      'new',
      expect.objectContaining({ outcome: 'wait', reason: 'history' }),
    ]);
  });

  it('makes new processes wait if the member shows its log to the root user only', async () => {
    const [lost, next] = await grantsAroundGrowth(ALL_DETECTED, '/v3/maintenance/status');
    expect([lost.outcome, next.outcome]).toEqual(['new', 'wait']);
  });

  it('lets two grants overlap if only the position is compared (control)', async () => {
    expect(overlapsOf(...(await grantsAroundGrowth(withoutLeader)))).toHaveLength(1);
  });
});

/** What happens to a cluster, with the grant that the cluster forgets. */
interface Loss {
  readonly holder: Grant;
  readonly lost: LeaseReply;
  readonly store: KeyValueLeaseStore;
}

/** All members go on with the files that they had before a grant. */
async function putBackFiles(members: 1 | 3, alter: AlterPort): Promise<Loss> {
  const etcd = await etcdWith(members);
  const store = storeOn(etcd, freshNamespace(), alter);
  const holder = await firstGrant(store);
  await Promise.all(etcd.members.map((member) => member.kill()));
  for (const { name, dataDirectory } of etcd.members)
    cpSync(dataDirectory, join(files, name), { recursive: true });
  await Promise.all(etcd.members.map((member) => member.start()));
  await etcd.untilUp();
  const lost = await answered(() => leaseFor(store, 2, { ignoreLoss: true }));
  await Promise.all(etcd.members.map((member) => member.kill()));
  for (const { name, dataDirectory } of etcd.members) {
    removeDirectory(dataDirectory);
    cpSync(join(files, name), dataDirectory, { recursive: true });
  }
  await Promise.all(etcd.members.map((member) => member.start()));
  await etcd.untilUp();
  return { holder, lost, store };
}

/** A follower that has missed a grant goes on alone, with `--force-new-cluster`. */
async function forceNewCluster(_members: 1 | 3, alter: AlterPort): Promise<Loss> {
  const etcd = await etcdWith(3);
  const leader = await etcd.leader();
  const lagging = etcd.members.find((member) => member !== leader);
  if (!lagging) throw new Error('expected a follower');
  const namespace = freshNamespace();
  const before = storeOn(etcd, namespace, alter, leader);
  const holder = await firstGrant(before);
  // It keeps only what it knows to be committed, and learns that with the entries that follow.
  for (const value of ['1', '2', '3']) await etcd.control('put', 'later', value, '--endpoints', leader.url);
  await etcd.untilUp(lagging);
  await lagging.kill();
  const lost = await answered(() => leaseFor(before, 2));
  await Promise.all(etcd.members.map((member) => member.kill()));
  await lagging.start('--force-new-cluster');
  await etcd.untilUp(lagging);
  return { holder, lost, store: storeOn(etcd, namespace, alter, lagging) };
}

describe('an etcd that goes on with older data [promise: after-loss]', () => {
  it.each([
    ['a member of one has older files', putBackFiles, 1],
    ['all members of three have older files', putBackFiles, 3],
    ['a follower that lags behind is forced to be a cluster of its own', forceNewCluster, 3],
  ] as const)('makes new processes wait, and keeps holders, if %s', async (_, lose, members) => {
    const { holder, lost, store } = await lose(members, ALL_DETECTED);
    expect(lost.outcome).toBe('new');
    expect(await answered(() => leaseFor(store, 3))).toMatchObject({ outcome: 'wait', reason: 'history' });
    expect((await renewed(store, holder)).outcome).toBe('kept');
  });

  it.each([
    ['a member of one has older files', putBackFiles, 1],
    ['a follower that lags behind is forced to be a cluster of its own', forceNewCluster, 3],
  ] as const)('lets two grants overlap without a history (control) if %s', async (_, lose, members) => {
    const { lost, store } = await lose(members, withoutHistory);
    expect(overlapsOf(lost, await answered(() => leaseFor(store, 3)))).toHaveLength(1);
  });
});

describe('an etcd that loses nothing', () => {
  it('makes nobody wait while members come and go, and etcd compacts, defragments and works', async () => {
    const etcd = await etcdWith(3);
    const leader = await etcd.leader();
    const namespace = freshNamespace();
    const store = storeOn(etcd, namespace, undefined, leader);
    await firstGrant(store);
    const outcomes: string[] = [];
    const grantAfter = async (happens: () => Promise<unknown>): Promise<void> => {
      await happens();
      outcomes.push((await leaseFor(store, outcomes.length + 2, { workerCount: 100 })).outcome);
    };
    const [follower, other] = etcd.members.filter((member) => member !== leader);
    const roomy = { workerCount: 100 };
    const crowd = storeOn(etcd, freshNamespace(), undefined, follower);
    await leaseFor(crowd, 1, { ...roomy, assumeNew: true });
    const asks = Array.from({ length: 40 }, (_, holder) => leaseFor(crowd, holder + 2, roomy));
    expect(new Set((await Promise.all(asks)).map(({ outcome }) => outcome))).toEqual(new Set(['new']));
    await grantAfter(() => etcd.control('put', 'other', 'value'));
    await grantAfter(() => etcd.control('del', 'nothing'));
    await grantAfter(() => etcd.control('compaction', '20'));
    await grantAfter(() => etcd.control('defrag', '--endpoints', leader.url));
    await grantAfter(async () => {
      await follower?.kill();
      await follower?.start();
      await etcd.untilUp(follower);
    });
    await grantAfter(async () => {
      await other?.pause();
      await etcd.control('put', 'other', 'value', '--endpoints', leader.url);
      other?.resume();
    });
    expect(new Set(outcomes)).toEqual(new Set(['new']));
  });

  it('makes new processes wait once after each change of the leader, and keeps holders', async () => {
    const etcd = await etcdWith(3);
    const namespace = freshNamespace();
    const store = storeOn(etcd, namespace);
    const holder = await firstGrant(store);
    const leader = await etcd.leader();
    await leader.kill();
    const left = etcd.members.filter((member) => member !== leader);
    await etcd.untilUp(left[0]);
    expect((await answered(() => leaseFor(store, 2))).outcome).toBe('wait');
    expect((await renewed(store, holder)).outcome).toBe('kept');
  });
});

describe('a member without a majority [promise: unique]', () => {
  it('grants nothing, and shows no old reading as a new one', async () => {
    const etcd = await etcdWith(3);
    const [alone, ...others] = etcd.members;
    const namespace = freshNamespace();
    await firstGrant(storeOn(etcd, namespace));
    await Promise.all(others.map((member) => member.pause()));
    const store = storeOn(etcd, namespace, undefined, alone);
    store.open({ callTimeoutMs: 1500 });
    try {
      await expect(store.inspect()).rejects.toThrow();
      // Control: such a reading is answered, from what the member has.
      const body = JSON.stringify({ key: Buffer.from('any').toString('base64'), serializable: true });
      const stale = await fetch(`${alone?.url}/v3/kv/range`, { method: 'POST', body });
      expect(stale.status).toBe(200);
    } finally {
      for (const member of others) member.resume();
    }
  });
});
