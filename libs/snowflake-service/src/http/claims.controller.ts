import {
  Controller,
  Get,
  HttpCode,
  Inject,
  Post,
  Req,
  type Type,
  UseFilters,
  UseGuards,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import type {
  ClaimReply,
  ResumeReply,
  ReturnReply,
  StoreSnapshot,
  TagReply,
} from 'nestjs-snowflake-segments/store';
import { toClaim, toHighest, toReturns, toTag } from '../claims/claim-requests.js';
import { ServedClaims } from '../claims/served-claims.js';
import { Requires } from '../authorization/requirement.js';
import { AccessGuard, type ServiceRequest } from './access.guard.js';
import { timeoutMsOf } from './call-timeout.js';
import { jsonBodyOf } from './json-body.js';
import { ProblemFilter } from './problem.filter.js';

const namespaceOf = ({ params }: ServiceRequest): string => String(params['namespace']);

/** Creates the controller of claims for a path: the port `SegmentStore` over HTTP. */
export function claimsController(path: string): Type<object> {
  @Controller({ path: `${path}/claims/:namespace`, version: VERSION_NEUTRAL })
  @UseGuards(AccessGuard)
  @UseFilters(ProblemFilter)
  class SnowflakeClaimsController {
    @Inject(ServedClaims) private readonly claims!: ServedClaims;

    @Post()
    @HttpCode(200)
    @Requires('claim', 'claims', namespaceOf)
    async claim(@Req() request: ServiceRequest): Promise<ClaimReply> {
      return this.claims.claim(namespaceOf(request), toClaim(jsonBodyOf(request)), timeoutMsOf(request));
    }

    @Post('return')
    @HttpCode(200)
    @Requires('return', 'claims', namespaceOf)
    async giveBack(@Req() request: ServiceRequest): Promise<{ readonly replies: readonly ReturnReply[] }> {
      const rests = toReturns(jsonBodyOf(request));
      return { replies: await this.claims.giveBack(namespaceOf(request), rests, timeoutMsOf(request)) };
    }

    @Post('tags')
    @HttpCode(200)
    @Requires('create-tag', 'claims', namespaceOf)
    async create(@Req() request: ServiceRequest): Promise<TagReply> {
      return this.claims.create(namespaceOf(request), toTag(jsonBodyOf(request)), timeoutMsOf(request));
    }

    @Post('resume')
    @HttpCode(200)
    @Requires('resume', 'claims', namespaceOf)
    async resume(@Req() request: ServiceRequest): Promise<ResumeReply> {
      return this.claims.resume(namespaceOf(request), toHighest(jsonBodyOf(request)), timeoutMsOf(request));
    }

    @Get()
    @Requires('inspect-claims', 'read', namespaceOf)
    async inspect(@Req() request: ServiceRequest): Promise<StoreSnapshot> {
      return this.claims.inspect(namespaceOf(request), timeoutMsOf(request));
    }
  }
  return SnowflakeClaimsController;
}
