import { StoreUnavailableError } from '../../../../libs/snowflake/src/core/errors/lease-errors.js';
import type {
  LeaseReply,
  LeaseRequest,
  LeaseStore,
  RegistrySnapshot,
  ReleaseReply,
  ReleaseRequest,
} from '../../../../libs/snowflake/src/lease/lease-store.js';
import {
  checkLeaseRequest,
  checkReleaseRequest,
} from '../../../../libs/snowflake/src/stores/check-request.js';
import type { SimulatedEnvironment } from '../protocol.js';
import type { ServerView } from '../store-server.js';
import type { RegistryDatabase } from './registry-database.js';
import type { Removal } from './removals.js';

/** The port of the library over the simulated network: what the Redis store is over a real one. */
export class SimulatedLeaseStore implements LeaseStore {
  readonly description = 'simulated store';
  readonly renewable = true;

  constructor(
    private readonly environment: Pick<SimulatedEnvironment<RegistryDatabase>, 'call' | 'minReplicas'>,
    private readonly removal: Removal,
  ) {}

  async lease(request: LeaseRequest): Promise<LeaseReply> {
    checkLeaseRequest(request);
    const asked = this.removal.alterRequest?.(request) ?? request;
    const reply = await this.environment.call<LeaseReply>(({ registry }, server) => {
      const seen = this.removal.alterServer?.(server) ?? server;
      return this.alone(server, asked.maxSkewMs) ?? registry.lease(asked, seen);
    });
    return this.removal.alterReply?.(reply) ?? reply;
  }

  async release(request: ReleaseRequest): Promise<ReleaseReply> {
    checkReleaseRequest(request);
    const reply = await this.environment.call(({ registry }) => registry.release(request));
    if (reply.outcome === 'corrupt') throw new StoreUnavailableError('the registry is damaged');
    return reply;
  }

  inspect(): Promise<RegistrySnapshot> {
    return Promise.reject(new StoreUnavailableError('nobody inspects a simulated store'));
  }

  async close(): Promise<void> {}

  /** Step 1 of the `lease` script, which the model leaves to the server. */
  private alone({ nowMs, replicaLagSeconds }: ServerView, maxSkewMs: number): LeaseReply | undefined {
    const minReplicas = this.removal.ignoresReplicas ? 0 : this.environment.minReplicas;
    const replicas = replicaLagSeconds * 1000 <= maxSkewMs ? 1 : 0;
    return replicas < minReplicas ? { outcome: 'alone', replicas, storeNowMs: nowMs } : undefined;
  }
}
