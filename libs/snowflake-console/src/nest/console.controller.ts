import { All, Controller, Inject, Req, Res, type Type, UseGuards, VERSION_NEUTRAL } from '@nestjs/common';
import { ConsoleGuard } from './console.guard.js';
import { ConsoleHost, type PlatformRequest, type PlatformResponse } from './console.host.js';

interface BelowRequest extends PlatformRequest {
  /** What is below: of Fastify a text, of Express the segments. The app's own prefix can have parameters too. */
  readonly params: Readonly<Record<string, string | readonly string[]>>;
}

/** The wildcards of the routers differ. */
const FASTIFY_WILDCARD = '*';
const EXPRESS_WILDCARD = '*belowConsole';

/** Makes the controller of a path. A class has one path, and an app can have the console at several. */
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

/** Gives the controller the route of everything below its path, once it is known which router the app has. */
export function routeBelow(controller: Type<object>, platform: string): void {
  const prototype = controller.prototype as object;
  const descriptor = Object.getOwnPropertyDescriptor(prototype, 'below');
  if (descriptor)
    All(platform === 'fastify' ? FASTIFY_WILDCARD : EXPRESS_WILDCARD)(prototype, 'below', descriptor);
}
