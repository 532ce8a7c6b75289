import { BackfillRefusedError } from '../../core/errors/lease-errors.js';
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
import { checkRemoteOptions, type RemoteLeaseStoreOptions } from './remote-options.js';
import { toBackfillReply, toLeaseReply, toReleaseReply, toSnapshot } from './replies.js';
import { type CallEnvironment, type Problem, realEnvironment, ServiceCalls } from './service-calls.js';

/** Forwards each call to a service, and returns its reply. The service stores nothing: its own store decides. */
export class RemoteLeaseStore implements LeaseStore {
  readonly description: string;
  readonly renewable = true;

  private readonly calls: ServiceCalls;
  private readonly path: string;

  constructor(options: RemoteLeaseStoreOptions, environment: CallEnvironment = realEnvironment) {
    const { namespace, addresses, token } = checkRemoteOptions(options);
    this.description = `remote namespace "${namespace}"`;
    this.path = `leases/${encodeURIComponent(namespace)}`;
    this.calls = new ServiceCalls(this.description, addresses, token, environment);
  }

  open(settings: StoreSettings): void {
    this.calls.open(settings);
  }

  async lease(request: LeaseRequest, deadline?: CallDeadline): Promise<LeaseReply> {
    checkLeaseRequest(request);
    const reply = toLeaseReply(await this.calls.call(this.path, request, deadline), this.description);
    // The service at another address may have the store that has replaced this one's.
    if (reply.outcome === 'alone') this.calls.useNextAddress();
    return reply;
  }

  async release(request: ReleaseRequest, deadline?: CallDeadline): Promise<ReleaseReply> {
    checkReleaseRequest(request);
    return toReleaseReply(await this.calls.call(`${this.path}/release`, request, deadline), this.description);
  }

  async backfill(request: BackfillRequest, deadline?: CallDeadline): Promise<BackfillReply> {
    checkBackfillRequest(request);
    const call = this.calls.call(`${this.path}/backfill`, request, deadline, (problem) =>
      this.backfillRefusal(problem),
    );
    return toBackfillReply(await call, this.description);
  }

  async inspect(): Promise<RegistrySnapshot> {
    return toSnapshot(await this.calls.call(this.path, undefined), this.description);
  }

  reconnect(): void {
    this.calls.useNextAddress();
  }

  async close(): Promise<void> {
    this.calls.close();
  }

  /** An older service has no such route, and answers 404 with another code than for an unknown namespace. */
  private backfillRefusal({ status, code }: Problem): BackfillRefusedError | undefined {
    const { description } = this;
    if (code === 'SNOWFLAKE_BACKFILL_REFUSED') return new BackfillRefusedError(description, 'unsupported');
    const isOutdated = status === 404 && code !== 'SNOWFLAKE_UNKNOWN_NAME';
    return isOutdated ? new BackfillRefusedError(description, 'outdated') : undefined;
  }
}

/**
 * Leases worker IDs from a `nestjs-snowflake-service`, which passes each call on to its own store. Use it in processes that can't reach
 * a database or Redis: it needs only `fetch`. If a process can reach the store, use the store directly, so that one part less can fail.
 *
 * @throws InvalidOptionError if an option is missing, malformed or contradicts another
 * @example
 * ```ts
 * SnowflakeModule.forRootAsync({
 *   inject: [ConfigService],
 *   useFactory: (config: ConfigService) => ({
 *     store: remoteLeaseStore({
 *       url: config.getOrThrow('ID_SERVICE_URL'),
 *       token: config.getOrThrow('ID_SERVICE_TOKEN'),
 *       namespace: 'shop',
 *     }),
 *   }),
 * })
 * ```
 */
export function remoteLeaseStore(options: RemoteLeaseStoreOptions): LeaseStore {
  return new RemoteLeaseStore(options);
}
