import type { StoreUnderTest } from 'nestjs-snowflake/store';
import type {
  LeaseReply,
  LeaseRequest,
  LeaseStore,
  StoreSettings,
} from '../../../../snowflake/src/lease/lease-store.js';
import { FAR_DEADLINE, requestOf } from '../../../../snowflake/src/stores/port/store-under-test.js';
import { EtcdConnection, EtcdLeaseStore } from '../../../src/etcd/etcd-lease-store.js';
import type { EtcdLeaseStoreOptions } from '../../../src/etcd/etcd-options.js';
import { KeyValueLeaseStore } from '../../../src/key-value/key-value-lease-store.js';
import type { KeyValueConnection, KeyValuePort } from '../../../src/key-value/key-value-port.js';

const CALL_TIMEOUT_MS = 10_000;
let namespaces = 0;

/** What a test takes away from, or adds to, a port of etcd. `another` makes the port of another attempt. */
export type AlterPort = (port: KeyValuePort, another: () => KeyValuePort) => Partial<KeyValuePort>;

/** Returns a namespace that nothing else uses. */
export function freshNamespace(): string {
  namespaces += 1;
  return `test-${process.pid}-${namespaces}`;
}

/** Makes an open store, on an altered connection if there is something to alter. */
export function openStore(
  options: EtcdLeaseStoreOptions,
  alter?: AlterPort,
  settings: Partial<StoreSettings> = {},
): KeyValueLeaseStore {
  const store = alter ? alteredStore(options, alter) : new EtcdLeaseStore(options);
  store.open({ callTimeoutMs: CALL_TIMEOUT_MS, ...settings });
  return store;
}

function alteredStore(options: EtcdLeaseStoreOptions, alter: AlterPort): KeyValueLeaseStore {
  const description = `etcd namespace "${options.namespace}"`;
  return new KeyValueLeaseStore(description, altered(new EtcdConnection(description, options), alter));
}

/** A store whose clock is that of etcd, which has whole seconds, and what the test adds to it. */
export function storeUnderTest(url: string): StoreUnderTest {
  let addedMs = 0;
  const store = openStore({ url, namespace: freshNamespace() }, (port) => ({
    read: async (keys) => {
      const { entries, server } = await port.read(keys);
      return { entries, server: { ...server, nowMs: server.nowMs + addedMs } };
    },
  }));
  return { store, letPass: async (ms) => void (addedMs += ms), dispose: () => store.close() };
}

/** Calls `lease` for a holder, without asserting anything. */
export function leaseFor(
  store: LeaseStore,
  holder: number,
  changes: Partial<LeaseRequest> = {},
): Promise<LeaseReply> {
  return store.lease(requestOf(holder, { assumeNew: false, ...changes }), FAR_DEADLINE);
}

/** Acquires a worker ID of a namespace that is new. */
export async function firstGrant(store: LeaseStore): Promise<Extract<LeaseReply, { outcome: 'new' }>> {
  const reply = await leaseFor(store, 1, { assumeNew: true });
  if (reply.outcome !== 'new') throw new Error(`expected a grant, not ${JSON.stringify(reply)}`);
  return reply;
}

/** Returns a connection whose ports are altered. */
export function altered(connection: KeyValueConnection, alter: AlterPort): KeyValueConnection {
  return {
    takesTurns: connection.takesTurns,
    open: (settings) => connection.open(settings),
    reconnect: () => connection.reconnect(),
    close: () => connection.close(),
    port: (deadline) => {
      const port = connection.port(deadline);
      return {
        read: (keys) => port.read(keys),
        entry: (key) => port.entry(key),
        entries: (range, limit) => port.entries(range, limit),
        outermost: (range, limit) => port.outermost(range, limit),
        marks: () => port.marks(),
        commit: (changes) => port.commit(changes),
        ...alter(port, () => connection.port(deadline)),
      };
    },
  };
}
