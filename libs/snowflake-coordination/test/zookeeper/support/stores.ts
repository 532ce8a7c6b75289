import type { StoreUnderTest } from 'nestjs-snowflake/store';
import type { StoreSettings } from '../../../../snowflake/src/lease/lease-store.js';
import { KeyValueLeaseStore } from '../../../src/key-value/key-value-lease-store.js';
import { ZookeeperConnection, ZookeeperLeaseStore } from '../../../src/zookeeper/zookeeper-lease-store.js';
import type { ZookeeperLeaseStoreOptions } from '../../../src/zookeeper/zookeeper-options.js';
import { altered, type AlterPort, freshNamespace } from '../../etcd/support/stores.js';

export { type AlterPort, firstGrant, freshNamespace, leaseFor } from '../../etcd/support/stores.js';

const CALL_TIMEOUT_MS = 10_000;

/** Makes an open store, on an altered connection if there is something to alter. */
export function openStore(
  options: ZookeeperLeaseStoreOptions,
  alter?: AlterPort,
  settings: Partial<StoreSettings> = {},
): KeyValueLeaseStore {
  const store = alter ? alteredStore(options, alter) : new ZookeeperLeaseStore(options);
  store.open({ callTimeoutMs: CALL_TIMEOUT_MS, ...settings });
  return store;
}

function alteredStore(options: ZookeeperLeaseStoreOptions, alter: AlterPort): KeyValueLeaseStore {
  const description = `zookeeper namespace "${options.namespace}"`;
  return new KeyValueLeaseStore(description, altered(new ZookeeperConnection(description, options), alter));
}

/** A store whose clock is that of ZooKeeper, and what the test adds to it. */
export function storeUnderTest(options: Omit<ZookeeperLeaseStoreOptions, 'namespace'>): StoreUnderTest {
  let addedMs = 0;
  const store = openStore({ ...options, namespace: freshNamespace() }, (port) => ({
    read: async (keys) => {
      const { entries, server } = await port.read(keys);
      return { entries, server: { ...server, nowMs: server.nowMs + addedMs } };
    },
  }));
  return { store, letPass: async (ms) => void (addedMs += ms), dispose: () => store.close() };
}
