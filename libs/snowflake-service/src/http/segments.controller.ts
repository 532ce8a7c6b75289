import {
  Controller,
  Get,
  Inject,
  Req,
  Res,
  type Type,
  UseFilters,
  UseGuards,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { countIn } from '../requests/request-count.js';
import { requireFields } from '../requests/request-fields.js';
import { strictObject, text } from 'nestjs-snowflake/internal/kit/schema';
import { ServedSegments } from '../segments/served-segments.js';
import { Requires } from '../authorization/requirement.js';
import { AccessGuard } from './access.guard.js';
import { SnowflakeProblemFilter } from './problem.filter.js';
import { type ServiceRequest, timeoutMsOf } from './service-request.js';

/** The response to a request for numbers: decimal strings in ascending order. */
export interface NumbersResponse {
  readonly numbers: readonly string[];
}

const NUMBERS_QUERY = strictObject({ count: text() }, ['count']);

const tagOf = ({ params }: ServiceRequest): string => String(params['tag']);

/** Creates the controller of segments for a path. */
export function segmentsController(path: string): Type<object> {
  @Controller({ path: `${path}/segments`, version: VERSION_NEUTRAL })
  @UseGuards(AccessGuard)
  @UseFilters(SnowflakeProblemFilter)
  class SnowflakeSegmentsController {
    @Inject(ServedSegments) private readonly segments!: ServedSegments;
    @Inject(HttpAdapterHost) private readonly host!: HttpAdapterHost;

    /** Returns nothing: an interceptor of the app could cache what a GET returns, and numbers would repeat. */
    @Get(':tag')
    @Requires('segments', 'segments', tagOf)
    async next(@Req() request: ServiceRequest, @Res() response: unknown): Promise<void> {
      const { count } = requireFields<{ count?: string }>('query', request.query, NUMBERS_QUERY);
      const wanted = countIn(count);
      const numbers: NumbersResponse = {
        numbers: await this.segments.next(tagOf(request), wanted, timeoutMsOf(request)),
      };
      this.host.httpAdapter.reply(response, numbers, 200);
    }
  }
  return SnowflakeSegmentsController;
}
