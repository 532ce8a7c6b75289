import type { ServerUnaryCall, ServerWritableStream } from '@grpc/grpc-js';
import { Controller, Inject, UseFilters, UseGuards } from '@nestjs/common';
import { GrpcMethod } from '@nestjs/microservices';
import { StoppedError } from 'nestjs-snowflake/core';
import type { Observable } from 'rxjs';
import { type Requirement, Requires } from '../authorization/requirement.js';
import { DEFAULT_INSTANCE } from '../ids/id-requests.js';
import { ServedMakers } from '../ids/served-makers.js';
import { invalidRequest } from '../requests/request-refusal.js';
import { type Fixed64, halvesOf } from './fixed64.js';
import { GrpcAccessGuard } from './grpc-access.guard.js';
import { GrpcProblemFilter } from './grpc-problem.filter.js';
import { MeasuredGrpcCalls } from './measured-grpc-calls.js';
import { pacedStream } from './paced-stream.js';
import { SERVICES } from './proto.js';
import { ServedGrpc } from './served-grpc.js';

/** A text that the client doesn't set is empty. */
interface OfInstance {
  readonly instance: string;
}
interface MakeIdsRequest extends OfInstance {
  readonly count?: number;
}
interface StreamIdsRequest extends OfInstance {
  readonly batchSize?: number;
  readonly batchCount?: number;
}
interface DecodeIdRequest extends OfInstance {
  readonly id: string;
}
interface IdsResponse {
  readonly ids: readonly Fixed64[];
}

const DEFAULT_BATCH_SIZE = 100;

const instanceOf = ({ instance }: OfInstance): string => instance || DEFAULT_INSTANCE;
const STREAM: Requirement<StreamIdsRequest> = { operation: 'stream', scope: 'ids', nameOf: instanceOf };

/** Generates and reads IDs over gRPC. Requests are read from the call, because pipes of the app can change the first parameter. */
@Controller()
@UseGuards(GrpcAccessGuard)
@UseFilters(GrpcProblemFilter)
export class IdServiceController {
  @Inject(ServedMakers) private readonly makers!: ServedMakers;
  @Inject(GrpcAccessGuard) private readonly guard!: GrpcAccessGuard;
  @Inject(ServedGrpc) private readonly served!: ServedGrpc;
  @Inject(MeasuredGrpcCalls) private readonly calls!: MeasuredGrpcCalls;

  @GrpcMethod(SERVICES.ids, 'MakeIds')
  @Requires('ids', 'ids', instanceOf)
  makeIds(_: unknown, _metadata: unknown, call: ServerUnaryCall<MakeIdsRequest, object>): IdsResponse {
    return this.calls.succeed(call, this.batch(call.request, call.request.count ?? 1));
  }

  /** Each further batch is authorized like a separate call, because a stream can outlive the permission of its client. */
  @GrpcMethod(SERVICES.ids, 'StreamIds')
  @Requires(STREAM.operation, STREAM.scope, STREAM.nameOf)
  streamIds(
    _: unknown,
    _metadata: unknown,
    call: ServerWritableStream<StreamIdsRequest, object>,
  ): Observable<never> {
    const { batchSize = DEFAULT_BATCH_SIZE, batchCount = Number.POSITIVE_INFINITY } = call.request;
    if (batchCount === 0) throw invalidRequest('batch_count is not a whole number of at least 1.');
    const batches = pacedStream(call, batchCount, async (sent) => {
      if (this.served.isStopping) throw new StoppedError();
      if (sent > 0) await this.guard.admit(STREAM, call);
      return this.batch(call.request, batchSize);
    });
    return this.calls.stream(call, batches);
  }

  @GrpcMethod(SERVICES.ids, 'DecodeId')
  @Requires('decode', 'read', instanceOf)
  decodeId(_: unknown, _metadata: unknown, call: ServerUnaryCall<DecodeIdRequest, object>): object {
    const decoded = this.makers.find(instanceOf(call.request)).decode(call.request.id);
    return this.calls.succeed(call, decoded.toJSON());
  }

  @GrpcMethod(SERVICES.ids, 'GetLayout')
  @Requires('layout', 'read', instanceOf)
  getLayout(_: unknown, _metadata: unknown, call: ServerUnaryCall<OfInstance, object>): object {
    const { layout } = this.makers.find(instanceOf(call.request));
    return this.calls.succeed(call, { epochMs: layout.epochMs, ...layout.toOptions() });
  }

  private batch(request: OfInstance, count: number): IdsResponse {
    return { ids: halvesOf(this.makers.nextBigInts(instanceOf(request), count)) };
  }
}
