import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { StoreRejectedError } from '../../../../libs/snowflake/src/core/errors/lease-errors.js';
import type { LeaseReply, LeaseStore } from '../../../../libs/snowflake/src/lease/lease-store.js';
import { WindowLedger } from '../../../../libs/snowflake/src/stores/port/window-ledger.js';
import {
  atomically,
  check,
  nodes,
  readParts,
} from '../../../../libs/snowflake-coordination/src/zookeeper/messages.js';
import type { KeyValueLeaseStore } from '../../../../libs/snowflake-coordination/src/key-value/key-value-lease-store.js';
import { ZookeeperLine } from '../../../../libs/snowflake-coordination/src/zookeeper/zookeeper-line.js';
import {
  type AlterPort,
  firstGrant,
  freshNamespace,
  leaseFor,
  openStore,
} from '../../../../libs/snowflake-coordination/test/zookeeper/support/stores.js';
import {
  startZookeeper,
  type ZookeeperMember,
  type ZookeeperServer,
} from '../../../support/servers/index.js';
import { makeDirectory, removeDirectory } from '../../../support/servers/server-process.js';
import { cleanUpAfterEach } from '../../../support/clean-up.js';
import { untilSuccess } from '../../../support/wait.js';

const SERVES_WITHIN_MS = 20_000;

type Grant = Extract<LeaseReply, { outcome: 'new' }>;

/** A follower keeps its connections for a minute after its leader has fallen silent: 120 ticks of 500 ms. */
const PATIENT_FOLLOWERS = { syncLimit: '120' };

const EPOCH_FILES = ['acceptedEpoch', 'currentEpoch'];
const IMPOSSIBLE_VERSION = 1_000_000;

/** A control: what the store compares is taken away. */
const withoutHistory: AlterPort = (port) => ({
  read: async (keys) => {
    const { entries, server } = await port.read(keys);
    return { entries, server: { ...server, historyId: 'constant' } };
  },
});
const ALL_DETECTED: AlterPort = () => ({});
const cleanUp = cleanUpAfterEach();

describe('an ensemble of ZooKeeper that goes on with older data [promise: after-loss]', () => {
  it.each([
    ['all older files', []],
    ['older files except those that name the epoch, after failed transactions', EPOCH_FILES],
  ])('makes new processes wait, and keeps holders, with %s', async (_, missing) => {
    const { holder, lost, store, address } = await putBackFiles(3, { alter: ALL_DETECTED, missing });
    if (missing.length > 0) await failTransactions(address);
    expect(lost.outcome).toBe('new');
    expect(await answered(() => leaseFor(store, 3))).toMatchObject({ outcome: 'wait', reason: 'history' });
    expect((await renewed(store, holder)).outcome).toBe('kept');
  });

  it('lets two grants overlap without a history (control)', async () => {
    const { lost, store } = await putBackFiles(3, { alter: withoutHistory });
    expect(overlapsOf(lost, await answered(() => leaseFor(store, 3)))).toHaveLength(1);
  });
});

describe('a ZooKeeper that shows no history [promise: after-loss]', () => {
  it('rejects a start for good if it is a standalone server', async () => {
    const zookeeper = await zookeeperWith(1);
    const store = storeOn(zookeeper.connectString, { namespace: freshNamespace() });
    await expect(leaseFor(store, 1)).rejects.toThrow(StoreRejectedError);
    await expect(leaseFor(store, 1)).rejects.toThrow(/standalone/);
  });

  it('lets two grants overlap if it is standalone, has older files, and its operator asserts that it has not (control)', async () => {
    const { lost, store } = await putBackFiles(1, { assumeNoLostWrites: true });
    expect(overlapsOf(lost, await answered(() => leaseFor(store, 3)))).toHaveLength(1);
  });

  it('rejects a start for good if it was a member of an ensemble, which has made a grant that it lacks', async () => {
    const namespace = freshNamespace();
    const { zookeeper, lagging, lost } = await laggard(namespace);
    await lagging.startAlone();
    await zookeeper.untilUp(lagging);
    await expect(leaseFor(storeOn(lagging.address, { namespace }), 3)).rejects.toThrow(/standalone/);
    // The control: nothing else shows it.
    const trusting = storeOn(lagging.address, { namespace, assumeNoLostWrites: true });
    expect(overlapsOf(lost, await leaseFor(trusting, 3))).toHaveLength(1);
  });
});

describe('a quorum of a ZooKeeper that lags and of one without data [promise: after-loss]', () => {
  it('makes new processes wait, and keeps holders', async () => {
    const namespace = freshNamespace();
    const { zookeeper, lagging, holder, lost } = await laggard(namespace);
    const empty = zookeeper.members.find((member) => member !== lagging);
    if (!empty) throw new Error('expected another member');
    removeDirectory(join(empty.dataDirectory, 'version-2'));
    await Promise.all([lagging.start(), empty.start()]);
    await zookeeper.untilUp(lagging, empty);
    const store = storeOn(lagging.address, { namespace });
    expect(lost.outcome).toBe('new');
    expect(await answered(() => leaseFor(store, 3))).toMatchObject({ outcome: 'wait', reason: 'history' });
    expect((await renewed(store, holder)).outcome).toBe('kept');
  });
});

describe('an ensemble of ZooKeeper that loses nothing', () => {
  it('makes nobody wait while followers restart, and makes new processes wait once after a change of the leader', async () => {
    const zookeeper = await zookeeperWith(3);
    const namespace = freshNamespace();
    const leader = await zookeeper.leader();
    const store = storeOn(leader.address, { namespace });
    const holder = await firstGrant(store);
    const [follower, other] = zookeeper.members.filter((member) => member !== leader);
    await follower?.kill();
    expect((await leaseFor(store, 2)).outcome).toBe('new');
    await follower?.start();
    await zookeeper.untilUp();
    expect((await leaseFor(storeOn(follower?.address ?? '', { namespace }), 3)).outcome).toBe('new');
    await leader.kill();
    await zookeeper.untilUp();
    const after = storeOn(zookeeper.connectString, { namespace });
    expect(await answered(() => leaseFor(after, 4))).toMatchObject({ outcome: 'wait', reason: 'history' });
    expect((await renewed(storeOn(other?.address ?? '', { namespace }), holder)).outcome).toBe('kept');
  });
});

describe('a follower of ZooKeeper without its leader [promise: unique]', () => {
  it('grants nothing, and shows no old reading as a new one', async () => {
    const zookeeper = await zookeeperWith(3, PATIENT_FOLLOWERS);
    const namespace = freshNamespace();
    const leader = await zookeeper.leader();
    const alone = zookeeper.members.find((member) => member !== leader);
    if (!alone) throw new Error('expected a follower');
    const store = storeOn(alone.address, { namespace });
    await firstGrant(store);
    const line = await lineTo(alone.address);
    const others = zookeeper.members.filter((member) => member !== alone);
    await Promise.all(others.map((member) => member.pause()));
    store.open({ callTimeoutMs: 500 });
    try {
      const [reading, inspection] = await Promise.allSettled([
        // Control: without sync and a write, such a reading is answered, from what the member has.
        line.exchange([nodes([`/snowflake/${namespace}/header`])]),
        store.inspect(),
      ]);
      expect(inspection.status).toBe('rejected');
      if (reading.status !== 'fulfilled') throw new Error('expected a reading');
      expect(readParts(reading.value[0]!.body)[0]?.node?.value).toContain('layout');
    } finally {
      line.end(new Error('the test has ended'));
      for (const member of others) member.resume();
    }
  });
});

async function zookeeperWith(members: 1 | 3, settings = {}): Promise<ZookeeperServer> {
  const zookeeper = await startZookeeper({ members, settings });
  cleanUp(() => zookeeper.stop());
  return zookeeper;
}

/** Makes transactions that change nothing, but have an ID each. */
async function failTransactions(address: string): Promise<void> {
  const line = await lineTo(address);
  const failing = atomically([check('/', IMPOSSIBLE_VERSION)]);
  for (let count = 0; count < 100; count += 1) await line.exchange([failing]);
  line.end(new Error('the test has gone on'));
}

async function lineTo(address: string): Promise<ZookeeperLine> {
  const [host = '', port] = address.split(':');
  const line = new ZookeeperLine({ address: { host, port: Number(port) }, tls: undefined, user: undefined });
  await line.ready;
  return line;
}

interface Where {
  readonly namespace: string;
  readonly alter?: AlterPort;
  readonly assumeNoLostWrites?: boolean;
}

function storeOn(
  connectString: string,
  { namespace, alter, assumeNoLostWrites = false }: Where,
): KeyValueLeaseStore {
  const store = openStore({ connectString, namespace, assumeNoLostWrites }, alter);
  cleanUp(() => store.close());
  return store;
}

/** The first calls may find a member that doesn't serve yet. */
function answered(call: () => Promise<LeaseReply>): Promise<LeaseReply> {
  return untilSuccess(SERVES_WITHIN_MS, call);
}

function renewed(store: LeaseStore, { workerId, fencingToken, untilMs }: Grant): Promise<LeaseReply> {
  return answered(() => leaseFor(store, 9, { claim: { workerId, fencingToken, untilMs } }));
}

function overlapsOf(...grants: readonly LeaseReply[]): string[] {
  const ledger = new WindowLedger();
  for (const grant of grants) if (grant.outcome === 'new') ledger.grant(grant);
  return ledger.overlaps();
}

async function restartAll(
  { members, untilUp }: Pick<ZookeeperServer, 'members'> & { untilUp(): Promise<void> },
  whileDown: (member: ZookeeperMember) => void,
): Promise<void> {
  await Promise.all(members.map((member) => member.kill()));
  for (const member of members) whileDown(member);
  await Promise.all(members.map((member) => member.start()));
  await untilUp();
}

/** What happened to an ensemble: a grant that it has forgotten, and a store that reaches it now. */
interface Loss {
  readonly holder: Grant;
  readonly lost: LeaseReply;
  readonly store: KeyValueLeaseStore;
  /** Where one of its servers answers. */
  readonly address: string;
}

/** All members go on with the files that they had before a grant, without those that are missing. */
async function putBackFiles(
  members: 1 | 3,
  { missing = [], ...where }: Omit<Where, 'namespace'> & { readonly missing?: readonly string[] },
): Promise<Loss> {
  const zookeeper = await zookeeperWith(members);
  const untilUp = (): Promise<void> => zookeeper.untilUp();
  const store = storeOn(zookeeper.connectString, { namespace: freshNamespace(), ...where });
  const holder = await firstGrant(store);
  const files = makeDirectory('zookeeper-history');
  cleanUp(() => removeDirectory(files));
  const copyOf = ({ name }: ZookeeperMember): string => join(files, name);
  await restartAll({ members: zookeeper.members, untilUp }, (member) =>
    cpSync(member.dataDirectory, copyOf(member), { recursive: true }),
  );
  const lost = await answered(() => leaseFor(store, 2, { ignoreLoss: true }));
  await restartAll({ members: zookeeper.members, untilUp }, (member) => {
    removeDirectory(member.dataDirectory);
    cpSync(copyOf(member), member.dataDirectory, { recursive: true });
    for (const file of missing) rmSync(join(member.dataDirectory, 'version-2', file));
  });
  return { holder, lost, store, address: zookeeper.members[0]?.address ?? '' };
}

/** A follower that has missed a grant. Nothing else runs. */
async function laggard(namespace: string) {
  const zookeeper = await zookeeperWith(3);
  const leader = await zookeeper.leader();
  const lagging = zookeeper.members.find((member) => member !== leader);
  if (!lagging) throw new Error('expected a follower');
  const before = storeOn(leader.address, { namespace });
  const holder = await firstGrant(before);
  // What is applied here was written here.
  await storeOn(lagging.address, { namespace }).inspect();
  await lagging.kill();
  const lost = await answered(() => leaseFor(before, 2));
  await Promise.all(zookeeper.members.map((member) => member.kill()));
  return { zookeeper, lagging, holder, lost };
}
