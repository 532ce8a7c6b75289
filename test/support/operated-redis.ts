import { Redis } from 'ioredis';
import {
  REDIS_MECHANISMS,
  type ScriptTexts,
} from '../../libs/snowflake/src/stores/redis/redis-connection.js';
import { RedisLeaseStore } from '../../libs/snowflake/src/stores/redis/redis-lease-store.js';
import type { CleanUp } from './clean-up.js';
import { type RedisOptions, type RedisServer, startRedis } from './servers/index.js';
import { waitFor } from './wait.js';

const TIMEOUT_MS = 60_000;

interface StoreOptions {
  readonly namespace: string;
  readonly minReplicas?: number;
  /** @defaultValue 30 s, so that a busy machine doesn't end a call */
  readonly callTimeoutMs?: number;
  /** A script in place of the production one. */
  readonly lease?: string;
}

/** A private Redis, what an operator does with it, and stores of its users. All of them end after the test. */
export class OperatedRedis {
  private constructor(
    readonly server: RedisServer,
    /** A connection with all rights. */
    readonly operator: Redis,
    private readonly cleanUp: CleanUp,
  ) {}

  /** Starts a server, as a replica if it has a master. A master begins to replicate at once. */
  static async start(
    cleanUp: CleanUp,
    { masterPort, args = [], ...options }: RedisOptions & { readonly masterPort?: number } = {},
  ): Promise<OperatedRedis> {
    const following = masterPort === undefined ? [] : ['--replicaof', '127.0.0.1', String(masterPort)];
    const replication = ['--repl-diskless-sync-delay', '0', ...following];
    const server = await startRedis({ ...options, args: [...replication, ...args] });
    cleanUp(() => server.stop());
    const operator = new Redis(server.url);
    // It may be killed, and connects again.
    operator.on('error', () => undefined);
    cleanUp(() => operator.disconnect());
    return new OperatedRedis(server, operator, cleanUp);
  }

  get port(): number {
    return this.server.port;
  }

  get url(): string {
    return this.server.url;
  }

  /** Opens a store of this server. */
  store({ callTimeoutMs = 30_000, lease, ...options }: StoreOptions): RedisLeaseStore {
    const scripts: ScriptTexts = { ...REDIS_MECHANISMS, lease: lease ?? REDIS_MECHANISMS.lease };
    const store = new RedisLeaseStore({ url: this.url, ...options }, scripts);
    this.cleanUp(() => store.close());
    store.open({ callTimeoutMs });
    return store;
  }

  /** Makes this replica a master. */
  async promote(): Promise<void> {
    await this.operator.replicaof('NO', 'ONE');
  }

  /** Makes this server a replica of another one. */
  async follow(master: OperatedRedis): Promise<void> {
    await this.operator.replicaof('127.0.0.1', master.port);
  }

  /** Waits until this many replicas follow this server. */
  untilFollowed(count = 1): Promise<void> {
    return this.untilReplication(
      `${count} replicas`,
      (info) => (info.match(/state=online/g) ?? []).length === count,
    );
  }

  /** Waits until this replica has a connection to its master. */
  untilFollowing(): Promise<void> {
    return this.untilReplication('a master', (info) => info.includes('master_link_status:up'));
  }

  private async untilReplication(what: string, isWanted: (info: string) => boolean): Promise<void> {
    let seen = '';
    await waitFor(
      () => `${what} in:\n${seen}`,
      TIMEOUT_MS,
      async () => isWanted((seen = await this.replication())),
    );
  }

  /** What INFO shows of the replication. */
  replication(): Promise<string> {
    return this.operator.info('replication');
  }
}
