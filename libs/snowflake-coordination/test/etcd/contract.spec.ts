import { leaseStoreContract } from 'nestjs-snowflake/store';
import { requestOf } from '../../../snowflake/src/stores/port/store-under-test.js';
import { type EtcdServer, startEtcd } from '../../../../test/support/servers/index.js';
import { storeUnderTest } from './support/stores.js';

let etcd: EtcdServer;

beforeAll(async () => {
  etcd = await startEtcd();
});
afterAll(() => etcd.stop());

describe('the lease store contract on etcd', () => {
  leaseStoreContract(async () => storeUnderTest(etcd.url), { describe, it });

  it('serves as many worker IDs as a layout can have', async () => {
    const { store, dispose } = storeUnderTest(etcd.url);
    const all = { firstWorkerId: 0, workerCount: 2 ** 31 };
    await expect(store.lease(requestOf(1, all))).resolves.toMatchObject({ outcome: 'new', workerId: 0 });
    const offline = { ...all, preferLongestOffline: true };
    await expect(store.lease(requestOf(2, offline))).resolves.toMatchObject({ outcome: 'new', workerId: 1 });
    await dispose();
  });
});
