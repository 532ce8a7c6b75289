import type { IncomingMessage, ServerResponse } from 'node:http';
import { Inject, Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { SnowflakeError, systemClock } from 'nestjs-snowflake/core';
import { Console } from '../http/console.js';
import { BodyRefusal } from '../http/messages.js';
import { readJson, requireSmallBody, writeAnswer } from '../http/node-http.js';
import { AppSubject } from './app-subject.js';
import type { ConsoleSettings } from './console-options.js';
import { CONSOLE_SETTINGS } from './console-tokens.js';

/** The part of the requests of Express and Fastify that the console uses. */
export interface PlatformRequest {
  /** Node's request, which Fastify wraps. */
  readonly raw?: IncomingMessage;
  readonly body?: unknown;
}
export interface PlatformResponse {
  readonly raw?: ServerResponse;
  /** Lets a handler of Fastify answer by itself. */
  hijack?(): unknown;
}

const MAX_REPORTED = 100;

/** Passes requests of the app's platform to the console, and writes its answers directly to Node's response. */
@Injectable()
export class ConsoleHost implements OnModuleDestroy {
  private readonly console: Console;
  private readonly logger = new Logger('SnowflakeConsole');
  private readonly reported = new Set<string>();

  constructor(
    @Inject(CONSOLE_SETTINGS) settings: ConsoleSettings,
    @Inject(AppSubject) app: AppSubject,
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
  ) {
    const { generate, maxListeners } = settings;
    this.console = new Console({
      subject: app,
      generation: generate && { ...generate, makeIds: (maker, count) => app.makeIds(maker, count) },
      maxListeners,
      clock: systemClock,
      report: (what, error) => this.report(what, error),
    });
  }

  /** @param path the rest of the path below that of the console */
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

  /** Logs each cause once, because a live page causes a reading every two seconds. */
  private report(what: string, error: unknown): void {
    const text = `${what}: ${causeOf(error)}`;
    if (this.reported.has(text) || this.reported.size >= MAX_REPORTED) return;
    this.reported.add(text);
    this.logger.error(text);
  }

  /** Ends the event streams before the server waits for its connections. */
  onModuleDestroy(): void {
    this.console.close();
  }
}

/** Returns the message only for errors of the library, because other messages can contain a connection string. */
function causeOf(error: unknown): string {
  if (error instanceof SnowflakeError) return `${error.code}: ${error.message}`;
  const { name, code } = Object(error) as { name?: unknown; code?: unknown };
  return [name, code].filter((each) => typeof each === 'string').join(' ') || typeof error;
}

function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/** Returns the body whether or not a parser of the app has read it. @throws BodyRefusal */
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
