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

/** A server of the app beside the HTTP server. */
export interface OtherServer {
  /** What it answers, for the log, e.g. `gRPC calls`. */
  readonly calls: string;
  /** Accepts nothing new. Resolves when everything is answered. */
  stopAccepting(): Promise<void>;
  cutAll(): void;
}

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
  private readonly others: OtherServer[] = [];
  private readonly unanswered = new Set<OtherServer>();
  private othersAnswered: Promise<unknown> | undefined;
  private readonly timers: NodeJS.Timeout[] = [];

  constructor(
    private readonly host: HttpAdapterHost,
    @Inject(SHUTDOWN_CONFIG) private readonly config: ShutdownConfig,
  ) {}

  /** Must be called before the server listens. */
  onApplicationBootstrap(): void {
    this.connections = new OpenConnections(this.host.httpAdapter.getHttpServer() as Server);
  }

  /** Bounds another server, too. */
  include(server: OtherServer): void {
    this.others.push(server);
  }

  /** Stops accepting connections here, because another module may take its time in the next hook. */
  onModuleDestroy(): void {
    const { connections } = this;
    const { answerMs } = this.config;
    if (!connections || this.over) return;
    this.logger.log(`Finishing the requests in flight, for ${answerMs} ms at most`);
    connections.stopAccepting();
    this.othersAnswered = Promise.all(this.others.map((server) => this.answered(server)));
    this.over = new Promise<void>((resolve) => {
      this.after(answerMs, () => {
        this.cut(connections);
        resolve();
      });
    });
    this.after(Math.min(SILENCE_MS, answerMs), () => connections.cutSilent());
  }

  /** Resolves when all requests are answered or the time is up. Nest then closes the server. */
  async beforeApplicationShutdown(): Promise<void> {
    await Promise.race([Promise.all([this.connections?.answered(), this.othersAnswered]), this.over]);
  }

  onApplicationShutdown(): void {
    for (const timer of this.timers) clearTimeout(timer);
  }

  private async answered(server: OtherServer): Promise<void> {
    this.unanswered.add(server);
    await server.stopAccepting();
    this.unanswered.delete(server);
  }

  private cut(connections: OpenConnections): void {
    const { count } = connections;
    const open = [...this.unanswered].map(({ calls }) => calls);
    if (count > 0) open.unshift(`${count} HTTP ${count === 1 ? 'connection' : 'connections'}`);
    connections.cutAll();
    for (const server of this.unanswered) server.cutAll();
    if (open.length === 0) return;
    const { answerMs, graceMs } = this.config;
    this.logger.warn(
      `Still open after ${answerMs} ms, and cut off: ${open.join(', ')}. The exit code is 1. ` +
        `To give clients more time, raise SHUTDOWN_GRACE_MS (${graceMs} ms).`,
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
