import { leaseStoreContract } from 'nestjs-snowflake/store';
import { requestOf } from '../../../snowflake/src/stores/port/store-under-test.js';
import { startZookeeper, type ZookeeperServer } from '../../../../test/support/servers/index.js';
import { storeUnderTest } from './support/stores.js';

/** 120 ticks, or a minute: a machine that stands still for less makes the members elect no other leader. */
const PATIENT_FOLLOWERS = { syncLimit: '120' };
let zookeeper: ZookeeperServer;

describe('the lease store contract on an ensemble of ZooKeeper', () => {
  beforeAll(async () => {
    zookeeper = await startZookeeper({ settings: PATIENT_FOLLOWERS });
  });
  afterAll(() => zookeeper.stop());

  leaseStoreContract(async () => storeUnderTest({ connectString: zookeeper.connectString }), {
    describe,
    it,
  });

  it('serves as many worker IDs as a layout can have', async () => {
    const { store, dispose } = storeUnderTest({ connectString: zookeeper.connectString });
    const all = { firstWorkerId: 0, workerCount: 2 ** 31 };
    await expect(store.lease(requestOf(1, all))).resolves.toMatchObject({ outcome: 'new', workerId: 0 });
    const offline = { ...all, preferLongestOffline: true };
    await expect(store.lease(requestOf(2, offline))).resolves.toMatchObject({ outcome: 'new', workerId: 1 });
    await dispose();
  });
});

describe('the lease store contract on a standalone ZooKeeper that loses no writes', () => {
  beforeAll(async () => {
    zookeeper = await startZookeeper({ members: 1 });
  });
  afterAll(() => zookeeper.stop());

  leaseStoreContract(
    async () => storeUnderTest({ connectString: zookeeper.connectString, assumeNoLostWrites: true }),
    { describe, it },
  );
});
