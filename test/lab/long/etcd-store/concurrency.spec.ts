import { type EtcdServer, startEtcd } from '../../../support/servers/index.js';
import { crowdOn, type OpenInCrowd, startAll } from '../../../integration/etcd-store/support/crowd.js';
import { openStore } from '../../../integration/etcd-store/support/stores.js';

const ROUNDS = 40;
const STARTS = 96;
let etcd: EtcdServer;
const open: OpenInCrowd = (namespace, alter) => openStore({ url: etcd.url, namespace }, alter);

beforeAll(async () => {
  etcd = await startEtcd();
});
afterAll(() => etcd.stop());

describe('processes that want the same worker IDs [promise: unique]', () => {
  it('get windows of which no two overlap', async () => {
    const { grants, overlaps } = await crowdOn(open, ROUNDS);
    expect(overlaps).toEqual([]);
    expect(grants).toBeGreaterThan(10);
  });

  it('get windows that overlap if the writes have no conditions (control)', async () => {
    const { overlaps } = await crowdOn(open, ROUNDS, (port) => ({
      commit: ({ puts }) => port.commit({ conditions: new Map(), puts }),
    }));
    expect(overlaps).not.toEqual([]);
  });
});

describe('a roll-out', () => {
  it('gives each of many processes a worker ID of its own within a few writes each', async () => {
    const { workerIds, writes } = await startAll(open, STARTS);
    expect(new Set(workerIds).size).toBe(STARTS);
    expect(workerIds).not.toContain(-1);
    expect(writes).toBeLessThan(8 * STARTS);
  });
});
