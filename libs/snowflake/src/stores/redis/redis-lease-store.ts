import { InvalidOptionError } from '../../core/errors.js';
import { systemClock } from '../../core/system-clock.js';
import type {
  LeaseReply,
  LeaseRequest,
  LeaseStore,
  RegistrySnapshot,
  ReleaseReply,
  ReleaseRequest,
  StoreSettings,
} from '../../lease/lease-store.js';
import { checkLeaseRequest, checkReleaseRequest } from '../check-request.js';
import { connectionProfile } from './connection-profile.js';
import { inDatabase } from './database.js';
import type { ScriptTexts } from './redis-connection.js';
import { productionScripts, RedisConnection } from './redis-connection.js';
import type { RedisLeaseStoreOptions } from './redis-options.js';
import { checkRedisOptions } from './redis-options.js';
import { toLeaseReply, toReleaseReply, toSnapshot } from './replies.js';

/** Below it a healthy replica can look as if it lagged too far behind. */
const LEAST_LAG_MS = 2000;

/** The key of a namespace's registry. The braces keep it in one slot of a Redis Cluster. */
export function registryKey(namespace: string): string {
  return `snowflake:{${namespace}}`;
}

/** Leases in Redis: the scripts behind the port. Tests pass script texts whose clock and history they decide. */
export class RedisLeaseStore implements LeaseStore {
  readonly description: string;
  readonly renewable = true;

  private readonly connection: RedisConnection;
  private readonly key: string;
  private readonly minReplicas: number;

  constructor(options: RedisLeaseStoreOptions, scripts: ScriptTexts = productionScripts) {
    checkRedisOptions(options);
    this.description = `redis namespace "${options.namespace}"`;
    this.key = registryKey(options.namespace);
    this.minReplicas = options.minReplicas ?? 0;
    const { database, connect } = connectionProfile(options);
    const texts = {
      lease: inDatabase(scripts.lease, database),
      release: inDatabase(scripts.release, database),
      inspect: inDatabase(scripts.inspect, database),
    };
    this.connection = new RedisConnection(this.description, connect, texts, systemClock);
  }

  open({ callTimeoutMs }: StoreSettings): void {
    this.connection.open(callTimeoutMs);
  }

  async lease(request: LeaseRequest): Promise<LeaseReply> {
    checkLeaseRequest(request);
    this.checkLag(request);
    const reply = await this.connection.run('lease', this.key, leaseArguments(request, this.minReplicas));
    return toLeaseReply(reply, this.description);
  }

  private checkLag({ maxSkewMs }: LeaseRequest): void {
    if (this.minReplicas === 0 || maxSkewMs >= LEAST_LAG_MS) return;
    throw new InvalidOptionError(
      'lease.maxSkewMs',
      maxSkewMs,
      `is less than ${LEAST_LAG_MS} ms, which minReplicas needs: Redis tells the lag of a replica in whole seconds`,
      `Use ${LEAST_LAG_MS} or more, with a windowMs of ${12 * LEAST_LAG_MS} or more.`,
    );
  }

  async release(request: ReleaseRequest): Promise<ReleaseReply> {
    checkReleaseRequest(request);
    const { workerId, deed, lastUsedMs } = request;
    const reply = await this.connection.run('release', this.key, [
      String(workerId),
      deed,
      String(lastUsedMs),
    ]);
    return toReleaseReply(reply, this.description);
  }

  async inspect(): Promise<RegistrySnapshot> {
    return toSnapshot(await this.connection.run('inspect', this.key, []), this.description);
  }

  reconnect(): void {
    this.connection.reconnect();
  }

  close(): Promise<void> {
    return this.connection.close();
  }
}

/** The arguments of the `lease` script, in its order. */
export function leaseArguments(request: LeaseRequest, minReplicas: number): string[] {
  const { claim } = request;
  return [
    request.layout,
    String(request.firstWorkerId),
    String(request.workerCount),
    String(request.windowMs),
    String(request.maxSkewMs),
    request.nonce,
    request.retry ? '1' : '0',
    request.trustEmptyRegistry ? '1' : '0',
    String(request.searchSeed),
    String(minReplicas),
    claim ? String(claim.workerId) : '',
    claim ? claim.deed : '',
    claim ? String(claim.untilMs) : '',
    request.preferOffline ? '1' : '0',
  ];
}

/**
 * Leases in Redis (5 or later, Valkey and others that run Lua, show `INFO replication` and `TIME`): a single server,
 * Sentinel or Cluster. All processes of one `namespace` get different worker IDs.
 *
 * The connection is made when the store is opened, not here, and is the store's own. A server that restarts without
 * its data, or a failover, costs newcomers a wait of one window; holders go on.
 *
 * @throws InvalidOptionError when an option is missing, malformed or contradicts another
 */
export function redisLeaseStore(options: RedisLeaseStoreOptions): LeaseStore {
  return new RedisLeaseStore(options);
}
