import type { IncomingMessage, ServerResponse } from 'node:http';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { systemClock } from 'nestjs-snowflake/core';
import { Console } from '../http/console.js';
import { BodyRefusal } from '../http/messages.js';
import { readJson, requireSmallBody, writeAnswer } from '../http/node-http.js';
import { AppSubject } from './app-subject.js';
import type { ConsoleSettings } from './console-options.js';
import { CONSOLE_SETTINGS } from './console-tokens.js';

/** What Express and Fastify hand to a handler, as far as it is used here. */
export interface PlatformRequest {
  /** Fastify's, around that of Node. */
  readonly raw?: IncomingMessage;
  readonly body?: unknown;
}
export interface PlatformResponse {
  readonly raw?: ServerResponse;
  /** Fastify's: the handler answers by itself. */
  hijack?(): unknown;
}

const NO_GENERATION = { maxCount: 0, perMinute: 0 };

/** Carries requests of the app's platform to the console, and its answers past whatever changes those of handlers. */
@Injectable()
export class ConsoleHost implements OnModuleDestroy {
  private readonly console: Console;

  constructor(
    @Inject(CONSOLE_SETTINGS) settings: ConsoleSettings,
    @Inject(AppSubject) app: AppSubject,
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
  ) {
    const { generate, maxListeners } = settings;
    this.console = new Console({
      subject: {
        facts: () => app.facts(generate?.maxCount),
        ...(generate && { makeIds: (maker: string, count: number) => app.makeIds(maker, count) }),
        series: () => app.series(),
        watch: () => app.watch(),
      },
      generate: generate ?? NO_GENERATION,
      maxListeners,
      clock: systemClock,
    });
  }

  /** @param path what follows the path of the console */
  async answer(request: PlatformRequest, response: PlatformResponse, path: string): Promise<void> {
    const { httpAdapter } = this.host;
    const incoming = request.raw ?? (request as IncomingMessage);
    response.hijack?.();
    const outgoing = response.raw ?? (response as ServerResponse);
    const answer = await this.console.answer({
      method: httpAdapter.getRequestMethod(request) as string,
      path,
      url: httpAdapter.getRequestUrl(request) as string,
      header: (name) => headerOf(incoming, name),
      body: (maxBytes) => bodyOf(request, incoming, maxBytes),
    });
    writeAnswer(answer, incoming, outgoing);
  }

  /** Before the server waits for its connections. */
  onModuleDestroy(): void {
    this.console.close();
  }
}

function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/** The app may have a parser, or none. @throws BodyRefusal */
async function bodyOf(
  request: PlatformRequest,
  incoming: IncomingMessage,
  maxBytes: number,
): Promise<unknown> {
  requireSmallBody(incoming, maxBytes);
  if (request.body !== undefined) return request.body;
  if (incoming.readableEnded) throw new BodyRefusal(400);
  return readJson(incoming, maxBytes);
}
