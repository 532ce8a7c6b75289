import {
  All,
  Controller,
  Inject,
  Req,
  Res,
  type Type,
  UseFilters,
  UseGuards,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { ServedSegments } from '../segments/served-segments.js';
import { Requires } from '../authorization/requirement.js';
import { AccessGuard } from './access.guard.js';
import { SnowflakeProblemFilter } from './problem.filter.js';
import { type ServiceRequest, timeoutMsOf } from './service-request.js';
import { DEFAULT_INSTANCE } from '../ids/id-requests.js';
import { ServedMakers } from '../ids/served-makers.js';

const keyOf = ({ params }: ServiceRequest): string => String(params['key']);

/** Creates the controller of the addresses of a Leaf server, which answers any method with a number as text. */
export function leafController(): Type<object> {
  @Controller({ path: 'api', version: VERSION_NEUTRAL })
  @UseGuards(AccessGuard)
  @UseFilters(SnowflakeProblemFilter)
  class SnowflakeLeafController {
    @Inject(ServedMakers) private readonly makers!: ServedMakers;
    @Inject(ServedSegments) private readonly segments!: ServedSegments;
    @Inject(HttpAdapterHost) private readonly host!: HttpAdapterHost;

    /** Leaf has one generator, whatever the key. */
    @All('snowflake/get/:key')
    @Requires('ids', 'ids', () => DEFAULT_INSTANCE)
    snowflake(@Res() response: unknown): void {
      this.reply(response, this.makers.nextIds(DEFAULT_INSTANCE, 1));
    }

    @All('segment/get/:key')
    @Requires('segments', 'segments', keyOf)
    async segment(@Req() request: ServiceRequest, @Res() response: unknown): Promise<void> {
      this.reply(response, await this.segments.next(keyOf(request), 1, timeoutMsOf(request)));
    }

    private reply(response: unknown, [number]: readonly string[]): void {
      const { httpAdapter } = this.host;
      httpAdapter.setHeader(response, 'Content-Type', 'text/plain; charset=utf-8');
      httpAdapter.reply(response, number, 200);
    }
  }
  return SnowflakeLeafController;
}
