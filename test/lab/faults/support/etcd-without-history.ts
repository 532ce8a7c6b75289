import { EtcdConnection } from '../../../../libs/snowflake-coordination/src/etcd/etcd-lease-store.js';
import { KeyValueLeaseStore } from '../../../../libs/snowflake-coordination/src/key-value/key-value-lease-store.js';
import type {
  KeyValueConnection,
  KeyValuePort,
} from '../../../../libs/snowflake-coordination/src/key-value/key-value-port.js';
import type { IssuerJob } from './issuer-job.js';

/** A store to which all histories look alike. */
export function etcdStoreWithoutHistory({
  seesNoHistory: _,
  ...options
}: NonNullable<IssuerJob['etcd']>): KeyValueLeaseStore {
  const description = `etcd namespace "${options.namespace}"`;
  return new KeyValueLeaseStore(description, new WithoutHistory(new EtcdConnection(description, options)));
}

class WithoutHistory implements KeyValueConnection {
  constructor(private readonly connection: KeyValueConnection) {}

  open(settings: Parameters<KeyValueConnection['open']>[0]): void {
    this.connection.open(settings);
  }

  get takesTurns(): boolean | undefined {
    return this.connection.takesTurns;
  }

  reconnect(): void {
    this.connection.reconnect();
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  port(deadline: Parameters<KeyValueConnection['port']>[0]): KeyValuePort {
    const port = this.connection.port(deadline);
    return {
      read: async (keys) => {
        const { entries, server } = await port.read(keys);
        const { nowMs } = server;
        return { entries, server: { nowMs, historyId: 'constant', positionAtMost: undefined } };
      },
      entry: (key) => port.entry(key),
      entries: (range, limit) => port.entries(range, limit),
      outermost: (range, limit) => port.outermost(range, limit),
      marks: () => port.marks(),
      commit: (changes) => port.commit(changes),
    };
  }
}
