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
import { AccessGuard } from './access.guard.js';
import { SnowflakeProblemFilter } from './problem.filter.js';
import { changeIn, namespaceOf, type ServiceRequest, timeoutMsOf } from './service-request.js';

/** Creates the controller of claims for a path: the port `SegmentStore` over HTTP. */
export function claimsController(path: string): Type<object> {
  @Controller({ path: `${path}/claims/:namespace`, version: VERSION_NEUTRAL })
  @UseGuards(AccessGuard)
  @UseFilters(SnowflakeProblemFilter)
  class SnowflakeClaimsController {
    @Inject(ServedClaims) private readonly claims!: ServedClaims;

    @Post()
    @HttpCode(200)
    @Requires('claim', 'claims', namespaceOf)
    async claim(@Req() request: ServiceRequest): Promise<ClaimReply> {
      return this.claims.claim(...changeIn(request, toClaim));
    }

    @Post('return')
    @HttpCode(200)
    @Requires('return', 'claims', namespaceOf)
    async returnRemainders(
      @Req() request: ServiceRequest,
    ): Promise<{ readonly replies: readonly ReturnReply[] }> {
      return { replies: await this.claims.returnRemainders(...changeIn(request, toReturns)) };
    }

    @Post('tags')
    @HttpCode(200)
    @Requires('create-tag', 'claims', namespaceOf)
    async create(@Req() request: ServiceRequest): Promise<TagReply> {
      return this.claims.create(...changeIn(request, toTag));
    }

    @Post('resume')
    @HttpCode(200)
    @Requires('resume', 'claims', namespaceOf)
    async resume(@Req() request: ServiceRequest): Promise<ResumeReply> {
      return this.claims.resume(...changeIn(request, toHighest));
    }

    @Get()
    @Requires('inspect-claims', 'read', namespaceOf)
    async inspect(@Req() request: ServiceRequest): Promise<StoreSnapshot> {
      return this.claims.inspect(namespaceOf(request), timeoutMsOf(request));
    }
  }
  return SnowflakeClaimsController;
}
