import type { CallDeadline, LeaseStore } from 'nestjs-snowflake/store';
import { KeyValueLeaseStore } from '../key-value/key-value-lease-store.js';
import type { KeyValueConnection, KeyValuePort } from '../key-value/key-value-port.js';
import { HEADER_KEY } from '../key-value/stored-header.js';
import { type ShowsOptions, STORE_OPTIONS } from 'nestjs-snowflake/internal/stores/store-options';
import { ZookeeperClient } from './zookeeper-client.js';
import {
  checkZookeeperOptions,
  type ZookeeperLeaseStoreOptions,
  type ZookeeperSettings,
} from './zookeeper-options.js';
import { CLOCK_KEY, STANDALONE, ZookeeperPort } from './zookeeper-port.js';

/** The largest one, which no node has. */
const NO_VERSION = String(2 ** 31 - 1);

/** Reaches ZooKeeper for one store. */
export class ZookeeperConnection implements KeyValueConnection {
  private readonly client: ZookeeperClient;
  readonly #settings: ZookeeperSettings;

  constructor(description: string, options: ZookeeperLeaseStoreOptions) {
    this.#settings = checkZookeeperOptions(options);
    this.client = new ZookeeperClient(description, this.#settings);
  }

  open(): void {}

  port(deadline: CallDeadline): KeyValuePort {
    return new ZookeeperPort({ client: this.client, settings: this.#settings }, deadline);
  }

  /**
   * Reads, and asks for writes that never happen, so that ZooKeeper checks the rights to them.
   *
   * @throws StoreRejectedError if a right is missing, or the server may not serve
   */
  async tryRights(
    deadline: CallDeadline,
  ): Promise<{ readonly historyId: string; readonly isStandalone: boolean }> {
    const port = this.port(deadline);
    const { server } = await port.read([HEADER_KEY]);
    // No header has this version, and the clock, which the reading has touched, exists already.
    await port.commit({ conditions: new Map([[HEADER_KEY, NO_VERSION]]), puts: new Map([[HEADER_KEY, '']]) });
    await port.commit({ conditions: new Map([[CLOCK_KEY, undefined]]), puts: new Map([[CLOCK_KEY, '']]) });
    return { historyId: server.historyId, isStandalone: server.historyId === STANDALONE };
  }

  reconnect(): void {
    this.client.reconnect();
  }

  async close(): Promise<void> {
    this.client.close();
  }
}

/** Keeps leases in ZooKeeper. */
export class ZookeeperLeaseStore
  extends KeyValueLeaseStore
  implements ShowsOptions<'zookeeper', ZookeeperLeaseStoreOptions>
{
  /** Is private, so that printing the store does not show the password. */
  readonly #options: ZookeeperLeaseStoreOptions;

  constructor(options: ZookeeperLeaseStoreOptions) {
    const description = `zookeeper namespace "${String(options?.namespace)}"`;
    super(description, new ZookeeperConnection(description, options));
    this.#options = options;
  }

  [STORE_OPTIONS]() {
    return { kind: 'zookeeper', options: this.#options } as const;
  }
}

/**
 * Leases worker IDs from an ensemble of ZooKeeper 3.6 or later, without a package. All processes of one `namespace` get different worker
 * IDs.
 *
 * The store opens its own connections when it is first called. Two round trips renew a lease. After a change of the leader, new processes
 * wait for one window plus `maxSkewMs`, and running processes continue. The store refuses a standalone server, because nothing shows
 * whether it was started with older data. Before a restore, see "etcd and ZooKeeper: ZooKeeper" in the documentation.
 *
 * @throws InvalidOptionError if an option is missing or malformed
 * @example
 * ```ts
 * SnowflakeModule.forRootAsync({
 *   inject: [ConfigService],
 *   useFactory: (config: ConfigService) => ({
 *     store: zookeeperLeaseStore({ connectString: config.getOrThrow('ZOOKEEPER'), namespace: 'shop' }),
 *   }),
 * })
 * ```
 */
export function zookeeperLeaseStore(options: ZookeeperLeaseStoreOptions): LeaseStore {
  return new ZookeeperLeaseStore(options);
}
