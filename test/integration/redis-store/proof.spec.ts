import type { ReplicationProof } from '../../../libs/snowflake/src/stores/redis/replication-proof.js';
import { startRedis, type RedisServer } from '../../support/servers/index.js';
import { firstRequest, MAX_SKEW_MS, request, WINDOW_MS } from './requests.js';
import { VirtualServer } from './virtual-server.js';

const START_MS = Date.UTC(2026, 0, 1);
const HISTORY_ID = 'first/run';

let server: RedisServer;
let virtual: VirtualServer;
let namespaces = 0;

beforeAll(async () => {
  server = await startRedis();
});
afterAll(() => server.stop());
beforeEach(() => {
  namespaces += 1;
  virtual = new VirtualServer(server, `proof-${namespaces}`);
});
afterEach(() => virtual.close());

/** Decides what the master says of itself, and of a replica for each acknowledged offset. */
async function follow(
  nowMs: number,
  replicas: readonly string[],
  historyId = HISTORY_ID,
  offset = '100',
  stats?: string,
): Promise<void> {
  const lines = replicas.map(
    (replica, index) => `slave${index}:ip=10.0.0.${index},port=6379,${replica},lag=0`,
  );
  const info = [...lines, `master_repl_offset:${offset}`, ''].join('\r\n');
  await virtual.become({ nowMs, historyId }, info, stats);
}

const online = (offset: string): string => `state=online,offset=${offset}`;
const proofAt = (storeNowMs: number, offset = '100'): ReplicationProof => ({
  storeNowMs,
  historyId: HISTORY_ID,
  offset,
});
const alone = (nowMs: number, replicas: number): string[] => ['ALONE', String(nowMs), String(replicas)];

describe('a proof', () => {
  it('returns clock, history and offset, and writes what readers of the registry ignore', async () => {
    await follow(START_MS, []);
    expect(await virtual.rawProve()).toEqual(['PROOF', String(START_MS), HISTORY_ID, '100']);
    expect(await virtual.fields()).toEqual({ proof: String(START_MS) });
    expect(await virtual.store.inspect()).toEqual({ storeNowMs: START_MS, rows: [] });
    // Still an empty registry, which the operator may trust.
    expect(await virtual.store.lease(firstRequest('a'))).toMatchObject({ outcome: 'new', workerId: 0 });
    expect(await virtual.store.lease(request('b', { retry: true }))).toMatchObject({ workerId: 1 });
    await virtual.rawProve();
    expect((await virtual.store.inspect()).rows).toHaveLength(2);
  });

  it('refuses a proof where the offset is hidden', async () => {
    await virtual.become({ nowMs: START_MS, historyId: HISTORY_ID });
    expect(await virtual.rawProve()).toEqual(['HIDDEN', 'master_repl_offset']);
    expect(await virtual.fields()).toEqual({});
  });

  it('refuses a proof on a replica', async () => {
    await follow(START_MS, []);
    await virtual.report({
      info: '# Replication\r\nrole:slave\r\nmaster_replid:first\r\nmaster_repl_offset:1\r\n',
    });
    await expect(virtual.rawProve()).rejects.toThrow(/READONLY/);
    expect(await virtual.fields()).toEqual({});
  });
});

describe('a replica counts', () => {
  it.each([
    ['above the proof', online('101'), 1],
    ['at the proof', online('100'), 0],
    ['below it, though with more in its first digits', online('99'), 0],
    ['with one digit more', online('1000'), 1],
    ['while it takes a copy of everything', 'state=wait_bgsave,offset=101', 0],
  ])('counts a replica by what it has acknowledged: %s', async (_, replica, following) => {
    await follow(START_MS, [replica]);
    expect(await virtual.rawLease(request('a'), 2, proofAt(START_MS))).toEqual(alone(START_MS, following));
    expect(await virtual.fields()).toEqual({});
  });

  it('counts a replica by offsets beyond 2^53 to the byte', async () => {
    const proof = proofAt(START_MS, '9007199254740992');
    await follow(START_MS, [online('9007199254740992'), online('9007199254740993')]);
    expect(await virtual.rawLease(request('a'), 2, proof)).toEqual(alone(START_MS, 1));
  });

  it.each([
    ['is older than maxSkew', proofAt(START_MS - MAX_SKEW_MS - 1)],
    ['lies in the future of a clock that has stepped back', proofAt(START_MS + 1)],
    ['is of another replication ID', { ...proofAt(START_MS), historyId: 'second/run' }],
    ['is of another run of the server', { ...proofAt(START_MS), historyId: 'first/again' }],
    ['is missing', undefined],
  ])('counts no replica when the proof %s', async (_, proof) => {
    await follow(START_MS, [online('101')]);
    expect(await virtual.rawLease(request('a'), 1, proof)).toEqual(alone(START_MS, 0));
  });

  it('counts a replica with a proof that is as old as maxSkew', async () => {
    await follow(START_MS, [online('101'), online('101')]);
    const proof = proofAt(START_MS - MAX_SKEW_MS);
    expect(await virtual.rawLease(request('a'), 2, proof)).toEqual(expect.arrayContaining(['WAIT']));
  });
});

describe('a replica that joins', () => {
  const joined = (full: number, partial: number): string =>
    `sync_full:${full}\r\nsync_partial_ok:${partial}\r\n`;
  const leaseAfter = async (stats: string, minReplicas = 1): Promise<unknown> => {
    await follow(START_MS, [online('101')], HISTORY_ID, '100', stats);
    return virtual.rawLease(firstRequest(`n${stats}`), minReplicas, proofAt(START_MS));
  };

  it.each([
    ['takes a copy of everything', joined(2, 3)],
    ['goes on where it was', joined(1, 4)],
  ])(
    'makes newcomers wait after a replica joins, which may have followed another master, and %s',
    async (_, stats) => {
      expect(await leaseAfter(joined(1, 3))).toEqual(expect.arrayContaining(['NEW']));
      expect(await leaseAfter(joined(1, 3))).toEqual(expect.arrayContaining(['NEW']));
      const wait = ['WAIT', String(START_MS), String(WINDOW_MS + MAX_SKEW_MS), 'history'];
      expect(await leaseAfter(stats)).toEqual(wait);
      expect(await leaseAfter(stats)).toEqual(wait);
    },
  );

  it('ignores a replica that joins without minReplicas, and shows it to stores that set it', async () => {
    expect(await leaseAfter(joined(1, 3))).toEqual(expect.arrayContaining(['NEW']));
    expect(await leaseAfter(joined(2, 3), 0)).toEqual(expect.arrayContaining(['NEW']));
    expect(await leaseAfter(joined(2, 3))).toEqual(expect.arrayContaining(['WAIT']));
  });

  it("makes newcomers wait for the first call with minReplicas, which can't know who has joined", async () => {
    expect(await leaseAfter(joined(1, 3), 0)).toEqual(expect.arrayContaining(['NEW']));
    expect(await leaseAfter(joined(1, 3))).toEqual(expect.arrayContaining(['WAIT']));
  });

  it.each([
    ['', 'sync_full'],
    ['sync_full:1', 'sync_partial_ok'],
    ['sync_partial_ok:1', 'sync_full'],
  ])("refuses the statistics %j, which don't show whether a replica has joined", async (stats, hidden) => {
    expect(await leaseAfter(stats)).toEqual(['HIDDEN', hidden]);
  });
});
