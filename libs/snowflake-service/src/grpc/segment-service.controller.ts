import type { ServerUnaryCall } from '@grpc/grpc-js';
import { Controller, Inject, UseFilters, UseGuards } from '@nestjs/common';
import { GrpcMethod } from '@nestjs/microservices';
import { Requires } from '../authorization/requirement.js';
import { ServedSegments } from '../segments/served-segments.js';
import { GrpcAccessGuard } from './grpc-access.guard.js';
import { timeoutMsOf } from './grpc-call.js';
import { GrpcProblemFilter } from './grpc-problem.filter.js';
import { MeasuredGrpcCalls } from './measured-grpc-calls.js';
import { SERVICES } from './proto.js';

interface NextNumbersRequest {
  readonly tag: string;
  readonly count?: number;
}
interface NumbersResponse {
  readonly numbers: readonly string[];
}

const tagOf = ({ tag }: NextNumbersRequest): string => tag;

/** Issues numbers over gRPC. Requests are read from the call, because pipes of the app can change the first parameter. */
@Controller()
@UseGuards(GrpcAccessGuard)
@UseFilters(GrpcProblemFilter)
export class SegmentServiceController {
  @Inject(ServedSegments) private readonly segments!: ServedSegments;
  @Inject(MeasuredGrpcCalls) private readonly calls!: MeasuredGrpcCalls;

  @GrpcMethod(SERVICES.segments, 'NextNumbers')
  @Requires('segments', 'segments', tagOf)
  async nextNumbers(
    _: unknown,
    _metadata: unknown,
    call: ServerUnaryCall<NextNumbersRequest, object>,
  ): Promise<NumbersResponse> {
    const { tag, count = 1 } = call.request;
    const numbers = await this.segments.next(tag, count, timeoutMsOf(call));
    return this.calls.succeed(call, { numbers });
  }
}
