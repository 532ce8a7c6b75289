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
import type { BackfillReply, LeaseReply, RegistrySnapshot, ReleaseReply } from 'nestjs-snowflake/store';
import { toBackfillRequest, toLeaseRequest, toReleaseRequest } from '../leases/lease-requests.js';
import { ServedLeases } from '../leases/served-leases.js';
import { Requires } from '../authorization/requirement.js';
import { AccessGuard } from './access.guard.js';
import { SnowflakeProblemFilter } from './problem.filter.js';
import { changeIn, namespaceOf, type ServiceRequest, timeoutMsOf } from './service-request.js';

/** Creates the controller of leases for a path: the port `LeaseStore` over HTTP. */
export function leasesController(path: string): Type<object> {
  @Controller({ path: `${path}/leases/:namespace`, version: VERSION_NEUTRAL })
  @UseGuards(AccessGuard)
  @UseFilters(SnowflakeProblemFilter)
  class SnowflakeLeasesController {
    @Inject(ServedLeases) private readonly leases!: ServedLeases;

    @Post()
    @HttpCode(200)
    @Requires('lease', 'leases', namespaceOf)
    async lease(@Req() request: ServiceRequest): Promise<LeaseReply> {
      return this.leases.lease(...changeIn(request, toLeaseRequest));
    }

    @Post('release')
    @HttpCode(200)
    @Requires('release', 'leases', namespaceOf)
    async release(@Req() request: ServiceRequest): Promise<ReleaseReply> {
      return this.leases.release(...changeIn(request, toReleaseRequest));
    }

    @Post('backfill')
    @HttpCode(200)
    @Requires('backfill', 'leases', namespaceOf)
    async backfill(@Req() request: ServiceRequest): Promise<BackfillReply> {
      return this.leases.backfill(...changeIn(request, toBackfillRequest));
    }

    @Get()
    @Requires('inspect-leases', 'read', namespaceOf)
    async inspect(@Req() request: ServiceRequest): Promise<RegistrySnapshot> {
      return this.leases.inspect(namespaceOf(request), timeoutMsOf(request));
    }
  }
  return SnowflakeLeasesController;
}
