import { startZookeeper } from '../../../support/servers/index.js';
import {
  firstGrant,
  freshNamespace,
  openStore,
} from '../../../../libs/snowflake-coordination/test/zookeeper/support/stores.js';

const HOUR_MS = 3_600_000;

describe('the clock of a store on ZooKeeper', () => {
  it.each([1, -1])('follows the server, which is %d h ahead of this process', async (hours) => {
    const zookeeper = await startZookeeper({ members: 1, clockOffsetSeconds: hours * 3600 });
    const { connectString } = zookeeper;
    const store = openStore({ connectString, namespace: freshNamespace(), assumeNoLostWrites: true });
    try {
      const { storeNowMs } = await firstGrant(store);
      expect(Math.abs(storeNowMs - hours * HOUR_MS - Date.now())).toBeLessThan(HOUR_MS / 2);
    } finally {
      await store.close();
      await zookeeper.stop();
    }
  });
});
