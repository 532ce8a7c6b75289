import { systemClock } from '../../core/clock/system-clock.js';
import type {
  BackfillReply,
  BackfillRequest,
  CallDeadline,
  LeaseReply,
  LeaseRequest,
  LeaseStore,
  RegistrySnapshot,
  ReleaseReply,
  ReleaseRequest,
  StoreSettings,
} from '../../lease/lease-store.js';
import { checkBackfillRequest, checkLeaseRequest, checkReleaseRequest } from '../check-request.js';
import { type ShowsOptions, STORE_OPTIONS } from '../store-options.js';
import { decideBackfill } from './backfill-claim.js';
import { leaseArguments, type ServerTrust } from './lease-arguments.js';
import { connectionProfile } from './connection-profile.js';
import { REDIS_MECHANISMS, RedisConnection, type ScriptTexts } from './redis-connection.js';
import { checkRedisOptions, type RedisLeaseStoreOptions } from './redis-options.js';
import { registryKey } from './registry-key.js';
import { lossyServer } from './server-refusals.js';
import {
  toBackfillOutcome,
  toFields,
  toLeaseReply,
  toReleaseReply,
  toReplicationProof,
  toSnapshot,
} from './replies.js';
import {
  REQUEST_EVERY_MS,
  LAST_REQUEST_MS,
  type ReplicationProof,
  requireLastingProof,
  requireTimeToProve,
} from './replication-proof.js';

/** Keeps leases in Redis with Lua scripts. */
export class RedisLeaseStore implements LeaseStore, ShowsOptions<'redis', RedisLeaseStoreOptions> {
  readonly description: string;
  readonly renewable = true;
  readonly isOnLoopback: boolean;

  /** Is private, so that printing the store does not show the password. */
  readonly #options: RedisLeaseStoreOptions;
  private readonly connection: RedisConnection;
  private readonly key: string;
  private readonly trust: ServerTrust;
  private releases = 0;

  constructor(options: RedisLeaseStoreOptions, mechanisms: ScriptTexts = REDIS_MECHANISMS) {
    const { minReplicas, assumeNoLostWrites } = checkRedisOptions(options);
    this.#options = options;
    this.description = `redis namespace "${options.namespace}"`;
    this.key = registryKey(options.namespace);
    this.trust = { minReplicas, assumeNoLostWrites };
    const profile = connectionProfile(options);
    this.isOnLoopback = profile.isOnLoopback;
    const identity = { description: this.description, namespace: options.namespace };
    this.connection = new RedisConnection(identity, profile, mechanisms, systemClock);
  }

  /** @throws InvalidOptionError if `minReplicas` needs longer calls */
  open({ callTimeoutMs }: StoreSettings): void {
    if (this.trust.minReplicas > 0) requireTimeToProve(callTimeoutMs);
    this.connection.open(callTimeoutMs);
  }

  async lease(
    request: LeaseRequest,
    deadline: CallDeadline = this.connection.deadline(),
  ): Promise<LeaseReply> {
    checkLeaseRequest(request);
    if (this.trust.minReplicas === 0) return this.requestLease(request, deadline);
    requireLastingProof(request.maxSkewMs);
    return this.leaseWithReplicas(request, deadline);
  }

  /**
   * Requests a lease until enough replicas follow, or the time is over. Ends after a release: the caller has given up, and a grant would
   * stay unused until its window ends.
   */
  private async leaseWithReplicas(request: LeaseRequest, deadline: CallDeadline): Promise<LeaseReply> {
    const { releases } = this;
    const marked = await this.connection.runScript('prove', this.key, proveArguments(this.trust), deadline);
    const proof = toReplicationProof(marked, this.description);
    for (;;) {
      const reply = await this.requestLease(request, deadline, proof);
      if (reply.outcome !== 'alone') return reply;
      await new Promise<void>((resolve) => systemClock.schedule(REQUEST_EVERY_MS, resolve));
      const isLate = deadline.remainingMs() < LAST_REQUEST_MS;
      if (isLate || releases !== this.releases) return reply;
    }
  }

  private async requestLease(
    request: LeaseRequest,
    deadline: CallDeadline,
    proof?: ReplicationProof,
  ): Promise<LeaseReply> {
    if (this.trust.assumeNoLostWrites) await this.requireSyncedWrites(deadline);
    const args = leaseArguments(request, this.trust, proof);
    const reply = await this.connection.runScript('lease', this.key, args, deadline);
    return toLeaseReply(reply, this.description);
  }

  /** The check precedes each lease, because the setting can change while the server runs, and another server can take over. */
  private async requireSyncedWrites(deadline: CallDeadline): Promise<void> {
    const policy = await this.connection.setting('appendfsync', deadline);
    if (policy === undefined || policy === 'always') return;
    throw lossyServer('appendfsync', policy, this.description);
  }

  async release(request: ReleaseRequest, deadline?: CallDeadline): Promise<ReleaseReply> {
    checkReleaseRequest(request);
    this.releases += 1;
    const { workerId, fencingToken, lastUsedMs } = request;
    const args = [String(workerId), fencingToken, String(lastUsedMs)];
    const reply = await this.connection.runScript('release', this.key, args, deadline);
    return toReleaseReply(reply, this.description);
  }

  /**
   * Doesn't ask for replicas: a master that was replaced still has every claim that it has made, and one that takes its place has another
   * history, under which nothing is claimed before the operator asserts that nothing was lost.
   */
  async backfill(
    request: BackfillRequest,
    deadline: CallDeadline = this.connection.deadline(),
  ): Promise<BackfillReply> {
    checkBackfillRequest(request);
    for (;;) {
      const { description } = this;
      if (this.trust.assumeNoLostWrites) await this.requireSyncedWrites(deadline);
      const read = toFields(await this.connection.runScript('inspect', this.key, [], deadline), description);
      const { reply, write } = decideBackfill(request, read);
      if (!write) return reply;
      const args = [...proveArguments(this.trust), ...write];
      const outcome = toBackfillOutcome(
        await this.connection.runScript('backfill', this.key, args, deadline),
        description,
      );
      if (outcome === 'claimed') return reply;
      if (outcome === 'lost') return { outcome: request.ignoreLoss ? 'wait' : 'possible-loss' };
      // Another import was faster, and no wait is needed: one of those that meet always succeeds.
    }
  }

  async inspect(): Promise<RegistrySnapshot> {
    return toSnapshot(await this.connection.runScript('inspect', this.key, []), this.description);
  }

  [STORE_OPTIONS]() {
    return { kind: 'redis', options: this.#options } as const;
  }

  reconnect(): void {
    this.connection.reconnect();
  }

  close(): Promise<void> {
    return this.connection.close();
  }
}

/** Returns the arguments of the `prove` script. */
export function proveArguments({ assumeNoLostWrites }: Pick<ServerTrust, 'assumeNoLostWrites'>): string[] {
  return [assumeNoLostWrites ? '1' : '0'];
}

/**
 * Leases worker IDs from Redis 5 or later, or Valkey: a single server, Sentinel or Cluster. All processes of one `namespace`
 * get different worker IDs. The store refuses other servers with the Redis protocol if they can't show that they have lost
 * writes. "Redis: Managed Redis" in the documentation lists them.
 *
 * The store connects when it is opened, not here, on its own connection. After a failover, or a restart of the server without its data,
 * new processes wait for one window, and running processes continue.
 *
 * @throws InvalidOptionError if an option is missing, malformed or contradicts another
 * @example
 * ```ts
 * SnowflakeModule.forRootAsync({
 *   inject: [ConfigService],
 *   useFactory: (config: ConfigService) => ({
 *     store: redisLeaseStore({ url: config.getOrThrow('REDIS_URL'), namespace: 'shop' }),
 *   }),
 * })
 * ```
 */
export function redisLeaseStore(options: RedisLeaseStoreOptions): LeaseStore {
  return new RedisLeaseStore(options);
}
