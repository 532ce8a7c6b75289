import type { Server } from 'node:http';
import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleDestroy,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { SHUTDOWN_CONFIG, type ShutdownConfig } from '../environment/server-environment.js';
import { OpenConnections } from './open-connections.js';

/** Time for the first request of a new connection to arrive. Browsers open connections that they never use. */
const SILENCE_MS = 1_000;

/**
 * Answers the requests in flight and then lets the app close. Waits a limited time, because a client that sends nothing
 * or half a request, or reads nothing, would keep the process alive forever.
 *
 * Node stops checking `headersTimeout` and `requestTimeout` when a server closes.
 */
@Injectable()
export class BoundedShutdown
  implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown, OnApplicationShutdown
{
  private readonly logger = new Logger('Shutdown');
  private connections: OpenConnections | undefined;
  private over: Promise<void> | undefined;
  private readonly timers: NodeJS.Timeout[] = [];

  constructor(
    private readonly host: HttpAdapterHost,
    @Inject(SHUTDOWN_CONFIG) private readonly config: ShutdownConfig,
  ) {}

  /** Must be called before the server listens. */
  onApplicationBootstrap(): void {
    this.connections = new OpenConnections(this.host.httpAdapter.getHttpServer() as Server);
  }

  /** Stops accepting connections here, because another module may take its time in the next hook. */
  onModuleDestroy(): void {
    const { connections } = this;
    const { drainMs } = this.config;
    if (!connections || this.over) return;
    this.logger.log(`Finishing the requests in flight, for ${drainMs} ms at most`);
    connections.stopAccepting();
    this.over = new Promise<void>((resolve) => {
      this.after(drainMs, () => {
        this.cut(connections);
        resolve();
      });
    });
    this.after(Math.min(SILENCE_MS, drainMs), () => connections.cutSilent());
  }

  /** Resolves when all requests are answered or the time is up. Nest then closes the server. */
  async beforeApplicationShutdown(): Promise<void> {
    await Promise.race([this.connections?.answered(), this.over]);
  }

  onApplicationShutdown(): void {
    for (const timer of this.timers) clearTimeout(timer);
  }

  private cut(connections: OpenConnections): void {
    const { count } = connections;
    connections.cutAll();
    if (count === 0) return;
    this.logger.warn(
      `After ${this.config.drainMs} ms, ${count} ${count === 1 ? 'connection is' : 'connections are'} still open and will be closed: exit code 1`,
    );
    // Nest would end the process with 0.
    process.once('exit', () => {
      process.exitCode = 1;
    });
  }

  private after(ms: number, task: () => void): void {
    this.timers.push(setTimeout(task, ms).unref());
  }
}
