import {
  Controller,
  Get,
  HttpCode,
  Inject,
  Post,
  Req,
  Res,
  type Type,
  UseFilters,
  UseGuards,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Requires } from '../authorization/requirement.js';
import { AccessGuard } from './access.guard.js';
import { SnowflakeProblemFilter } from './problem.filter.js';
import { jsonBodyOf, type ServiceRequest } from './service-request.js';
import { countIn } from '../requests/request-count.js';
import { requireFields } from '../requests/request-fields.js';
import { DEFAULT_INSTANCE, IDS_BODY, IDS_QUERY, INSTANCE_QUERY } from '../ids/id-requests.js';
import { ServedMakers } from '../ids/served-makers.js';

/** The response to a request for IDs: decimal strings in ascending order. */
export interface IdsResponse {
  readonly ids: readonly string[];
}

/** How the IDs of an instance are composed. */
export interface LayoutResponse {
  readonly epochMs: number;
  readonly tickMs: number;
  readonly timestampBits: number;
  readonly datacenterBits: number;
  readonly workerBits: number;
  readonly sequenceBits: number;
  /** The fields below the timestamp, the most significant first. */
  readonly order: readonly string[];
}

const instanceInBody = ({ body }: ServiceRequest): unknown =>
  Reflect.get(Object(body) as object, 'instance') ?? DEFAULT_INSTANCE;
const instanceInQuery = ({ query }: ServiceRequest): unknown => query['instance'] ?? DEFAULT_INSTANCE;
const instanceInPath = ({ params }: ServiceRequest): string => String(params['instance']);

/** Creates the controller of IDs for a path. */
export function idsController(path: string): Type<object> {
  @Controller({ path, version: VERSION_NEUTRAL })
  @UseGuards(AccessGuard)
  @UseFilters(SnowflakeProblemFilter)
  class SnowflakeIdsController {
    @Inject(ServedMakers) private readonly makers!: ServedMakers;
    @Inject(HttpAdapterHost) private readonly host!: HttpAdapterHost;

    @Post('ids')
    @HttpCode(200)
    @Requires('ids', 'ids', instanceInBody)
    make(@Req() request: ServiceRequest): IdsResponse {
      const body = jsonBodyOf(request);
      const { count = 1, instance } = requireFields<{ count?: number; instance?: string }>(
        'body',
        body,
        IDS_BODY,
      );
      return { ids: this.makers.nextIds(instance, count) };
    }

    /** Returns nothing: an interceptor of the app could cache what a GET returns, and IDs would repeat. */
    @Get('ids')
    @Requires('ids', 'ids', instanceInQuery)
    get(@Req() { query }: ServiceRequest, @Res() response: unknown): void {
      const { count, instance } = requireFields<{ count?: string; instance?: string }>(
        'query',
        query,
        IDS_QUERY,
      );
      const ids: IdsResponse = { ids: this.makers.nextIds(instance, countIn(count)) };
      this.host.httpAdapter.reply(response, ids, 200);
    }

    @Get('ids/:id')
    @Requires('decode', 'read', instanceInQuery)
    decode(@Req() { params, query }: ServiceRequest): object {
      const { instance } = requireFields<{ instance?: string }>('query', query, INSTANCE_QUERY);
      return this.makers.find(instance).decode(String(params['id']));
    }

    @Get('layouts/:instance')
    @Requires('layout', 'read', instanceInPath)
    layout(@Req() request: ServiceRequest): LayoutResponse {
      const { layout } = this.makers.find(instanceInPath(request));
      return { epochMs: layout.epochMs, ...layout.toOptions() };
    }
  }
  return SnowflakeIdsController;
}
