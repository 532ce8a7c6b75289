import type { Server } from 'node:http';
import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';

/**
 * Drops connections as soon as their last request is answered once the app is closing. Without it the shutdown
 * would wait for the keep-alive timeout of connections on which nothing happens any more.
 */
@Injectable()
export class ShortKeepAlive implements BeforeApplicationShutdown {
  private readonly logger = new Logger(ShortKeepAlive.name);

  constructor(private readonly host: HttpAdapterHost) {}

  beforeApplicationShutdown(signal?: string): void {
    const server: Server = this.host.httpAdapter.getHttpServer();
    server.keepAliveTimeout = 1;
    if (signal) this.logger.log(`${signal}: finishing the requests in flight`);
  }
}
