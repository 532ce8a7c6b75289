import { All, Controller, Inject, Req, Res, type Type, UseGuards, VERSION_NEUTRAL } from '@nestjs/common';
import { ConsoleGuard } from './console.guard.js';
import { ConsoleHost, type PlatformRequest, type PlatformResponse } from './console.host.js';

interface BelowRequest extends PlatformRequest {
  /** Contains the path below the console: a string on Fastify, its segments on Express. A global prefix can add parameters. */
  readonly params: Readonly<Record<string, string | readonly string[]>>;
}

/** The routers of Fastify and Express have different wildcards. */
const FASTIFY_WILDCARD = '*';
const EXPRESS_WILDCARD = '*belowConsole';

/** Creates the controller for a path. It is a new class each time, because an app can mount the console at several paths. */
export function consoleController(path: string): Type<object> {
  @Controller({ path, version: VERSION_NEUTRAL })
  @UseGuards(ConsoleGuard)
  class SnowflakeConsoleController {
    @Inject(ConsoleHost) private readonly host!: ConsoleHost;

    @All()
    page(@Req() request: PlatformRequest, @Res() response: PlatformResponse): Promise<void> {
      return this.host.answer(request, response, '');
    }

    /** Has no route before {@link routeBelow}. */
    below(@Req() request: BelowRequest, @Res() response: PlatformResponse): Promise<void> {
      const { params } = request;
      const below = [params[FASTIFY_WILDCARD] ?? params[EXPRESS_WILDCARD.slice(1)] ?? ''].flat().join('/');
      return this.host.answer(request, response, below);
    }
  }
  return SnowflakeConsoleController;
}

/** Adds the route for everything below the controller's path, once the router of the app is known. */
export function routeBelow(controller: Type<object>, platform: string): void {
  const prototype = controller.prototype as object;
  const descriptor = Object.getOwnPropertyDescriptor(prototype, 'below');
  if (descriptor)
    All(platform === 'fastify' ? FASTIFY_WILDCARD : EXPRESS_WILDCARD)(prototype, 'below', descriptor);
}
