import type { INestApplication, NestApplicationOptions, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';

export type Platform = 'Express' | 'Fastify';
export const PLATFORMS: readonly Platform[] = ['Express', 'Fastify'];

/** A response, its body read as JSON. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Headers;
}

/** A Nest app that listens on a free port. */
export class HttpApp {
  private constructor(
    readonly app: INestApplication,
    readonly url: string,
  ) {}

  static async start(
    platform: Platform,
    root: Type,
    configure: (app: INestApplication) => void = () => undefined,
    further: NestApplicationOptions = {},
  ): Promise<HttpApp> {
    const options = { logger: false, abortOnError: false, ...further } as const;
    const app: INestApplication =
      platform === 'Fastify'
        ? await NestFactory.create(root, new FastifyAdapter(), options)
        : await NestFactory.create(root, options);
    configure(app);
    await app.listen(0, '127.0.0.1');
    return new HttpApp(app, await app.getUrl());
  }

  async get(path: string): Promise<Answer> {
    return this.answer(await this.fetch(path));
  }

  /** Returns the body as it was sent. */
  async text(path: string): Promise<string> {
    return (await this.fetch(path)).text();
  }

  /** @param json the body as text, because a JavaScript number could not hold what a client can send */
  async post(path: string, json: string): Promise<Answer> {
    const headers = { 'content-type': 'application/json' };
    return this.answer(await this.fetch(path, { method: 'POST', headers, body: json }));
  }

  stop(): Promise<void> {
    return this.app.close();
  }

  /** A connection that is kept could be closed just as the next request uses it. */
  private fetch(path: string, { headers, ...rest }: RequestInit = {}): Promise<Response> {
    return fetch(this.url + path, { ...rest, headers: { ...headers, connection: 'close' } });
  }

  private async answer(response: Response): Promise<Answer> {
    const text = await response.text();
    const body: unknown = text === '' ? undefined : JSON.parse(text);
    return { status: response.status, body, headers: response.headers };
  }
}
