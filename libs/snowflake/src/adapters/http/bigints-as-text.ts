import type { INestApplication } from '@nestjs/common';
import { InvalidOptionError } from '../../core/errors/input-errors.js';
import { requireMethods } from '../../core/options/option-checks.js';

type Replacer = (this: unknown, key: string, value: unknown) => unknown;

/** The methods of an Express app and of a Fastify instance that are used here. */
interface Server {
  get(setting: string): Replacer | undefined;
  set(setting: string, value: Replacer): unknown;
  setReplySerializer(serialize: (body: unknown) => string): unknown;
}

/**
 * Turns bigints into strings as the second argument of `JSON.stringify()`, which throws for a bigint otherwise.
 *
 * @example
 * ```ts
 * await queue.add('paid', JSON.stringify(order, bigintAsText));
 * ```
 */
export function bigintAsText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}

/**
 * Makes the HTTP server of an app send bigints as strings, in every response and at any depth. Call it before `app.listen()`, and in a
 * test before `app.init()`.
 *
 * On Express, it keeps the app's own `json replacer`. On Fastify, it sets the reply serializer, which also replaces response schemas.
 *
 * @throws InvalidOptionError if the app runs neither on Express nor on Fastify
 * @example
 * ```ts
 * const app = await NestFactory.create(AppModule);
 * bigintsAsText(app);
 * await app.listen(3000);
 * ```
 */
export function bigintsAsText(app: INestApplication): void {
  requireMethods('app', app, ['getHttpAdapter'], 'Pass the app that NestFactory.create() returned.');
  const adapter = app.getHttpAdapter();
  const server: Server = adapter.getInstance();
  switch (adapter.getType()) {
    case 'express': {
      const own = server.get('json replacer') ?? ((_key, value) => value);
      server.set('json replacer', function (key, value) {
        return bigintAsText(key, own.call(this, key, value));
      });
      return;
    }
    case 'fastify':
      server.setReplySerializer((body) => JSON.stringify(body, bigintAsText));
      return;
    default:
      throw new InvalidOptionError(
        'app',
        adapter.getType(),
        'runs neither on Express nor on Fastify',
        'Let the HTTP server of the app call JSON.stringify(body, bigintAsText).',
      );
  }
}
