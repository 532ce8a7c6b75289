import {
  Body,
  Controller,
  Get,
  HttpCode,
  Inject,
  Param,
  Post,
  Query,
  type Type,
  UseFilters,
  UseGuards,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import { AccessGuard, Requires, type ServiceRequest } from './access.guard.js';
import { ProblemFilter } from './problem.filter.js';
import { requireFields } from '../requests/request-fields.js';
import { DEFAULT_INSTANCE, ServedMakers } from './served-makers.js';

const WHOLE_NUMBER = /^\d{1,9}$/;

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

const inBody = ({ body }: ServiceRequest): unknown =>
  Reflect.get(Object(body) as object, 'instance') ?? DEFAULT_INSTANCE;
const inQuery = ({ query }: ServiceRequest): unknown => query['instance'] ?? DEFAULT_INSTANCE;
const inPath = ({ params }: ServiceRequest): unknown => params['instance'];

/** Creates the controller of IDs for a path. */
export function idsController(path: string): Type<object> {
  @Controller({ path, version: VERSION_NEUTRAL })
  @UseGuards(AccessGuard)
  @UseFilters(ProblemFilter)
  class SnowflakeIdsController {
    @Inject(ServedMakers) private readonly makers!: ServedMakers;

    @Post('ids')
    @HttpCode(200)
    @Requires('ids', inBody)
    make(@Body() body: unknown): IdsResponse {
      const { count = 1, instance } = requireFields<{ count?: number; instance?: string }>('body', body, {
        count: 'number?',
        instance: 'text?',
      });
      return { ids: this.makers.nextIds(instance, count) };
    }

    @Get('ids')
    @Requires('ids', inQuery)
    get(@Query() query: unknown): IdsResponse {
      const { count, instance } = requireFields<{ count?: string; instance?: string }>('query', query, {
        count: 'text?',
        instance: 'text?',
      });
      const wanted = count === undefined ? 1 : WHOLE_NUMBER.test(count) ? Number(count) : Number.NaN;
      return { ids: this.makers.nextIds(instance, wanted) };
    }

    @Get('ids/:id')
    @Requires('read', inQuery)
    decode(@Param('id') id: string, @Query() query: unknown): object {
      const { instance } = requireFields<{ instance?: string }>('query', query, { instance: 'text?' });
      return this.makers.find(instance).decode(id);
    }

    @Get('layouts/:instance')
    @Requires('read', inPath)
    layout(@Param('instance') instance: string): LayoutResponse {
      const { layout } = this.makers.find(instance);
      return { epochMs: layout.epochMs, ...layout.toOptions() };
    }
  }
  return SnowflakeIdsController;
}
