import type { Server } from '@grpc/grpc-js';
import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnModuleDestroy,
} from '@nestjs/common';
import { systemClock } from 'nestjs-snowflake/core';
import { settledWithin } from 'nestjs-snowflake/internal/kit/call-deadline';
import { ServedMakers } from '../ids/served-makers.js';
import type { ServiceSettings } from '../settings/service-options.js';
import { SERVICE_SETTINGS } from '../settings/service-tokens.js';
import type { GrpcHealth } from './grpc-options.js';
import { SERVICES } from './proto.js';

/** The servers of gRPC that the app listens with: their health, and their end. */
@Injectable()
export class ServedGrpc implements OnModuleDestroy, BeforeApplicationShutdown {
  @Inject(SERVICE_SETTINGS) private readonly settings!: ServiceSettings;
  @Inject(ServedMakers) private readonly makers!: ServedMakers;
  private readonly logger = new Logger('SnowflakeService');
  private readonly servers: Server[] = [];
  private readonly unsubscribe: (() => void)[] = [];
  private readonly healths: GrpcHealth[] = [];
  private hasBegunToStop = false;

  /** Whether the app is shutting down, so that no stream goes on. */
  get isStopping(): boolean {
    return this.hasBegunToStop;
  }

  /** Adopts a server that is about to listen. */
  open(server: Server, health: GrpcHealth | undefined): void {
    this.servers.push(server);
    if (!health) return;
    health.addToServer(server);
    this.healths.push(health);
    this.showHealth();
    if (this.unsubscribe.length > 0) return;
    for (const maker of this.makers.all()) this.unsubscribe.push(maker.subscribe(() => this.showHealth()));
  }

  /** Runs before the servers close, so that load balancers send calls to other instances. */
  onModuleDestroy(): void {
    this.hasBegunToStop = true;
    for (const unsubscribe of this.unsubscribe.splice(0)) unsubscribe();
    this.showHealth();
  }

  /** Lets calls finish. Nest then ends those that are left. */
  async beforeApplicationShutdown(): Promise<void> {
    const { drainTimeoutMs } = this.settings;
    const closed = Promise.all(this.servers.splice(0).map(closedByItself));
    const late =
      `gRPC calls did not end within drainTimeoutMs (${drainTimeoutMs} ms), so they are cut off. ` +
      'To give clients more time, raise it.';
    await settledWithin(systemClock, drainTimeoutMs, closed, () => late).catch(() => this.logger.warn(late));
  }

  private showHealth(): void {
    const isServing = !this.isStopping;
    const canMakeIds = isServing && this.makers.all().every(({ canIssue }) => canIssue);
    const statuses = {
      '': canMakeIds,
      [SERVICES.ids]: canMakeIds,
      [SERVICES.leases]: isServing,
      [SERVICES.segments]: isServing,
    };
    for (const health of this.healths) {
      for (const [service, serves] of Object.entries(statuses))
        health.setStatus(service, serves ? 'SERVING' : 'NOT_SERVING');
    }
  }
}

/** Resolves when the calls of a server have ended. It accepts no others. */
function closedByItself(server: Server): Promise<void> {
  return new Promise((resolve) => server.tryShutdown(() => resolve()));
}
