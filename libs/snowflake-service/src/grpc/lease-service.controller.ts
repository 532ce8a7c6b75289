import type { ServerUnaryCall } from '@grpc/grpc-js';
import { Controller, Inject, UseFilters, UseGuards } from '@nestjs/common';
import { GrpcMethod } from '@nestjs/microservices';
import { Requires } from '../authorization/requirement.js';
import { ServedLeases } from '../leases/served-leases.js';
import { GrpcAccessGuard } from './grpc-access.guard.js';
import { timeoutMsOf } from './grpc-call.js';
import { GrpcProblemFilter } from './grpc-problem.filter.js';
import { MeasuredGrpcCalls } from './measured-grpc-calls.js';
import {
  backfillResponse,
  leaseResponse,
  type OfNamespace,
  readBackfillMessage,
  readLeaseMessage,
  readReleaseMessage,
  releaseResponse,
} from './lease-messages.js';
import { SERVICES } from './proto.js';

const namespaceOf = ({ namespace }: Pick<OfNamespace, 'namespace'>): string => namespace;

/** The port `LeaseStore` over gRPC. Requests are read from the call, because pipes of the app can change the first parameter. */
@Controller()
@UseGuards(GrpcAccessGuard)
@UseFilters(GrpcProblemFilter)
export class LeaseServiceController {
  @Inject(ServedLeases) private readonly leases!: ServedLeases;
  @Inject(MeasuredGrpcCalls) private readonly calls!: MeasuredGrpcCalls;

  @GrpcMethod(SERVICES.leases, 'Lease')
  @Requires('lease', 'leases', namespaceOf)
  async lease(_: unknown, _metadata: unknown, call: ServerUnaryCall<OfNamespace, object>): Promise<object> {
    const { request } = call;
    const reply = await this.leases.lease(request.namespace, readLeaseMessage(request), timeoutMsOf(call));
    return this.calls.succeed(call, leaseResponse(request.call, reply));
  }

  @GrpcMethod(SERVICES.leases, 'Release')
  @Requires('release', 'leases', namespaceOf)
  async release(_: unknown, _metadata: unknown, call: ServerUnaryCall<OfNamespace, object>): Promise<object> {
    const { request } = call;
    const reply = await this.leases.release(
      request.namespace,
      readReleaseMessage(request),
      timeoutMsOf(call),
    );
    return this.calls.succeed(call, releaseResponse(request.call, reply));
  }

  @GrpcMethod(SERVICES.leases, 'Backfill')
  @Requires('backfill', 'leases', namespaceOf)
  async backfill(
    _: unknown,
    _metadata: unknown,
    call: ServerUnaryCall<OfNamespace, object>,
  ): Promise<object> {
    const { request } = call;
    const claim = readBackfillMessage(request);
    const reply = await this.leases.backfill(request.namespace, claim, timeoutMsOf(call));
    return this.calls.succeed(call, backfillResponse(request.call, reply));
  }

  @GrpcMethod(SERVICES.leases, 'Inspect')
  @Requires('inspect-leases', 'read', namespaceOf)
  async inspect(_: unknown, _metadata: unknown, call: ServerUnaryCall<OfNamespace, object>): Promise<object> {
    const snapshot = await this.leases.inspect(call.request.namespace, timeoutMsOf(call));
    return this.calls.succeed(call, snapshot);
  }
}
