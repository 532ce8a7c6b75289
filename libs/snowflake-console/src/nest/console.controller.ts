import { All, Controller, Inject, Req, Res, type Type, UseGuards, VERSION_NEUTRAL } from '@nestjs/common';
import { ConsoleGuard } from './console.guard.js';
import { ConsoleHost, type PlatformRequest, type PlatformResponse } from './console.host.js';

interface WithParameters extends PlatformRequest {
  readonly params: Readonly<Record<'first' | 'second', string>>;
}

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

    @All(':first')
    one(@Req() request: WithParameters, @Res() response: PlatformResponse): Promise<void> {
      return this.host.answer(request, response, request.params.first);
    }

    @All(':first/:second')
    two(@Req() request: WithParameters, @Res() response: PlatformResponse): Promise<void> {
      const { first, second } = request.params;
      return this.host.answer(request, response, `${first}/${second}`);
    }
  }
  return SnowflakeConsoleController;
}
