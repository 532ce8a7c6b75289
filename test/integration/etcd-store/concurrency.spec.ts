import type { LeaseReply } from '../../../libs/snowflake/src/lease/lease-store.js';
import { FAR_DEADLINE, requestOf } from '../../../libs/snowflake/src/store-testing/store-under-test.js';
import { type EtcdServer, startEtcd } from '../../support/servers/index.js';
import { crowdOn } from './support/crowd.js';
import { firstGrant, freshNamespace, openStore } from './support/stores.js';

const ROUNDS = 40;
const STARTS = 96;
let etcd: EtcdServer;

beforeAll(async () => {
  etcd = await startEtcd();
});
afterAll(() => etcd.stop());

describe('processes that want the same worker IDs [promise: unique]', () => {
  it('get windows of which no two overlap', async () => {
    const { grants, overlaps } = await crowdOn(etcd.url, ROUNDS);
    expect(overlaps).toEqual([]);
    expect(grants).toBeGreaterThan(10);
  });

  it('get windows that overlap if the writes have no conditions (control)', async () => {
    const { overlaps } = await crowdOn(etcd.url, ROUNDS, (port) => ({
      commit: ({ puts }) => port.commit({ conditions: new Map(), puts }),
    }));
    expect(overlaps).not.toEqual([]);
  });
});

describe('a roll-out', () => {
  /** All start at once. Returns their replies, and how many writes etcd got for them. */
  async function startAll(count: number) {
    const namespace = freshNamespace();
    let writes = 0;
    const openCounted = () =>
      openStore({ url: etcd.url, namespace }, (port) => ({
        commit: (changes) => {
          writes += 1;
          return port.commit(changes);
        },
      }));
    const [first, ...stores] = Array.from({ length: count + 1 }, openCounted);
    if (!first) throw new Error('expected a store');
    await firstGrant(first);
    const start = (store: typeof first, holder: number): Promise<LeaseReply> =>
      store.lease(
        requestOf(holder + 2, {
          workerCount: 1024,
          layout: 'contract layout',
          searchSeed: (holder * 2_654_435_761) % 2 ** 31,
        }),
        FAR_DEADLINE,
      );
    const replies = await Promise.all(stores.map(start));
    await Promise.all([first, ...stores].map((store) => store.close()));
    const workerIds = replies.map((reply) => (reply.outcome === 'new' ? reply.workerId : -1));
    return { workerIds, writes };
  }

  it('gives each of many processes a worker ID of its own within a few writes each', async () => {
    const { workerIds, writes } = await startAll(STARTS);
    expect(new Set(workerIds).size).toBe(STARTS);
    expect(workerIds).not.toContain(-1);
    expect(writes).toBeLessThan(8 * STARTS);
  });
});
