import type {
  CallDeadline,
  LeaseReply,
  LeaseRequest,
  LeaseStore,
  StoreSettings,
} from 'nestjs-snowflake/store';
import { KeyValueLeaseStore } from '../key-value/key-value-lease-store.js';
import type { KeyValueConnection, KeyValuePort } from '../key-value/key-value-port.js';
import { HEADER_KEY } from '../key-value/stored-header.js';
import { type ShowsOptions, STORE_OPTIONS } from 'nestjs-snowflake/internal/stores/store-options';
import { EtcdClient } from './etcd-client.js';
import { checkEtcdOptions, isEtcdOnLoopback, type EtcdLeaseStoreOptions } from './etcd-options.js';
import { EtcdPort } from './etcd-port.js';
import { keyPrefix } from './least-rights.js';

/** The largest one, which no write of any etcd has. */
const NO_REVISION = String(2n ** 63n - 1n);

/** The clocks of two members in the same second can read a second apart, because the store sees whole seconds of them. */
const LEAST_SKEW_MS = 2000;
const SHORT_SKEW = `needs lease.maxSkewMs of at least ${LEAST_SKEW_MS}, because etcd shows whole seconds of its clocks. With less, IDs can repeat after a loss of data.`;

/** Reaches etcd for one store. */
export class EtcdConnection implements KeyValueConnection {
  /** A request that gets no answer ends the connection, and with it all attempts that keep to it. */
  readonly takesTurns = true;
  private readonly client: EtcdClient;
  private readonly prefix: string;

  constructor(description: string, options: EtcdLeaseStoreOptions) {
    const settings = checkEtcdOptions(options);
    this.prefix = keyPrefix(settings.namespace);
    this.client = new EtcdClient(description, settings);
  }

  open(): void {}

  port(deadline: CallDeadline, previous?: KeyValuePort): KeyValuePort {
    const place = { client: this.client, prefix: this.prefix };
    return new EtcdPort(place, deadline, previous instanceof EtcdPort ? previous : undefined);
  }

  /**
   * Reads, and asks for a write whose condition never holds, so that etcd checks the right to it.
   *
   * @returns the history of the server
   * @throws StoreRejectedError if a right is missing
   */
  async tryRights(deadline: CallDeadline): Promise<string> {
    const port = this.port(deadline);
    const { server } = await port.read([HEADER_KEY]);
    await port.commit({
      conditions: new Map([[HEADER_KEY, NO_REVISION]]),
      puts: new Map([[HEADER_KEY, '']]),
    });
    return server.historyId;
  }

  reconnect(): void {
    this.client.useNextMember();
    this.client.close();
  }

  async close(): Promise<void> {
    this.client.close();
  }
}

/** Keeps leases in etcd. */
export class EtcdLeaseStore
  extends KeyValueLeaseStore
  implements ShowsOptions<'etcd', EtcdLeaseStoreOptions>
{
  readonly isOnLoopback: boolean;

  /** Is private, so that printing the store does not show the password. */
  readonly #options: EtcdLeaseStoreOptions;
  #warn: StoreSettings['warn'];

  constructor(options: EtcdLeaseStoreOptions) {
    const description = `etcd namespace "${String(options?.namespace)}"`;
    super(description, new EtcdConnection(description, options));
    this.#options = options;
    this.isOnLoopback = isEtcdOnLoopback(checkEtcdOptions(options));
  }

  override open(settings: StoreSettings): void {
    this.#warn = settings.warn;
    super.open(settings);
  }

  override lease(request: LeaseRequest, deadline?: CallDeadline): Promise<LeaseReply> {
    if (request.maxSkewMs < LEAST_SKEW_MS) this.#warn?.(`${this.description} ${SHORT_SKEW}`);
    this.#warn = undefined;
    return super.lease(request, deadline);
  }

  [STORE_OPTIONS]() {
    return { kind: 'etcd', options: this.#options } as const;
  }
}

/**
 * Leases worker IDs from etcd 3.4 or later, through its JSON gateway. All processes of one `namespace` get different worker IDs.
 *
 * The store opens its own connections when it is first called. Two round trips renew a lease. After a change of the leader, a restart of
 * all members, or a restored snapshot, new processes wait for one window plus `maxSkewMs`, and running processes continue.
 * Before a restore, see "etcd and ZooKeeper: etcd" in the documentation.
 *
 * @throws InvalidOptionError if an option is missing, malformed or contradicts another
 * @example
 * ```ts
 * SnowflakeModule.forRootAsync({
 *   inject: [ConfigService],
 *   useFactory: (config: ConfigService) => ({
 *     store: etcdLeaseStore({ url: config.getOrThrow('ETCD_URL'), namespace: 'shop' }),
 *   }),
 * })
 * ```
 */
export function etcdLeaseStore(options: EtcdLeaseStoreOptions): LeaseStore {
  return new EtcdLeaseStore(options);
}
