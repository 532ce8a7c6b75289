import {
  Body,
  Controller,
  Get,
  Headers,
  HttpCode,
  Inject,
  Param,
  Post,
  type Type,
  UseFilters,
  UseGuards,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import type { LeaseReply, RegistrySnapshot, ReleaseReply } from 'nestjs-snowflake/store';
import { toLeaseRequest, toReleaseRequest } from '../leases/lease-requests.js';
import { ServedLeases } from '../leases/served-leases.js';
import { AccessGuard, Requires, type ServiceRequest } from './access.guard.js';
import { ProblemFilter } from './problem.filter.js';

/** How long the client waits, in milliseconds. */
const TIMEOUT_HEADER = 'snowflake-timeout-ms';
const WHOLE_NUMBER = /^\d{1,9}$/;

const namespaceOf = ({ params }: ServiceRequest): unknown => params['namespace'];

/** Creates the controller of leases for a path: the port `LeaseStore` over HTTP. */
export function leasesController(path: string): Type<object> {
  @Controller({ path: `${path}/leases/:namespace`, version: VERSION_NEUTRAL })
  @UseGuards(AccessGuard)
  @UseFilters(ProblemFilter)
  class SnowflakeLeasesController {
    @Inject(ServedLeases) private readonly leases!: ServedLeases;

    @Post()
    @HttpCode(200)
    @Requires('leases', namespaceOf)
    async lease(
      @Param('namespace') namespace: string,
      @Headers(TIMEOUT_HEADER) timeout: unknown,
      @Body() body: unknown,
    ): Promise<LeaseReply> {
      return this.leases.lease(namespace, toLeaseRequest(body), toTimeoutMs(timeout));
    }

    @Post('release')
    @HttpCode(200)
    @Requires('leases', namespaceOf)
    async release(
      @Param('namespace') namespace: string,
      @Headers(TIMEOUT_HEADER) timeout: unknown,
      @Body() body: unknown,
    ): Promise<ReleaseReply> {
      return this.leases.release(namespace, toReleaseRequest(body), toTimeoutMs(timeout));
    }

    @Get()
    @Requires('read', namespaceOf)
    async inspect(
      @Param('namespace') namespace: string,
      @Headers(TIMEOUT_HEADER) timeout: unknown,
    ): Promise<RegistrySnapshot> {
      return this.leases.inspect(namespace, toTimeoutMs(timeout));
    }
  }
  return SnowflakeLeasesController;
}

/** Without a valid header, only the service's own bound applies. */
function toTimeoutMs(header: unknown): number {
  return typeof header === 'string' && WHOLE_NUMBER.test(header) ? Number(header) : Number.MAX_SAFE_INTEGER;
}
