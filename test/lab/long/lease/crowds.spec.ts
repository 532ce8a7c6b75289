import {
  crowdOn,
  type OpenInCrowd,
  startAll,
} from '../../../../libs/snowflake-coordination/test/etcd/support/crowd.js';
import { openStore as openEtcdStore } from '../../../../libs/snowflake-coordination/test/etcd/support/stores.js';
import { openStore as openZookeeperStore } from '../../../../libs/snowflake-coordination/test/zookeeper/support/stores.js';
import { startEtcd, startZookeeper } from '../../../support/servers/index.js';

const ROUNDS = 40;
const STARTS = 96;

/** A server, and how a process opens its store. */
interface Place {
  readonly open: OpenInCrowd;
  stop(): Promise<void>;
}

const STORES: readonly (readonly [name: string, start: () => Promise<Place>])[] = [
  [
    'etcd',
    async () => {
      const etcd = await startEtcd();
      return {
        open: (namespace, alter) => openEtcdStore({ url: etcd.url, namespace }, alter),
        stop: () => etcd.stop(),
      };
    },
  ],
  [
    'ZooKeeper',
    async () => {
      const zookeeper = await startZookeeper();
      const { connectString } = zookeeper;
      return {
        open: (namespace, alter) => openZookeeperStore({ connectString, namespace }, alter),
        stop: () => zookeeper.stop(),
      };
    },
  ],
];

describe.each(STORES)('processes that want the same worker IDs from %s [promise: unique]', (_, start) => {
  let place: Place;
  beforeAll(async () => {
    place = await start();
  });
  afterAll(() => place?.stop());

  it('get windows of which no two overlap', async () => {
    const { grants, overlaps } = await crowdOn(place.open, ROUNDS);
    expect(overlaps).toEqual([]);
    expect(grants).toBeGreaterThan(10);
  });

  it('get windows that overlap if the writes have no conditions (control)', async () => {
    const { overlaps } = await crowdOn(place.open, ROUNDS, (port) => ({
      commit: ({ puts }) => port.commit({ conditions: new Map(), puts }),
    }));
    expect(overlaps).not.toEqual([]);
  });

  it('get a worker ID each within a few writes if many start at once', async () => {
    const { workerIds, writes } = await startAll(place.open, STARTS);
    expect(new Set(workerIds).size).toBe(STARTS);
    expect(workerIds).not.toContain(-1);
    expect(writes).toBeLessThan(8 * STARTS);
  });
});
