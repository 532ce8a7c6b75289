import type { ServiceTransport } from '../settings/service-options.js';
import { GrpcAccessGuard } from './grpc-access.guard.js';
import { GrpcProblemFilter } from './grpc-problem.filter.js';
import { IdServiceController } from './id-service.controller.js';
import { LeaseServiceController } from './lease-service.controller.js';
import { MeasuredGrpcCalls } from './measured-grpc-calls.js';
import { SegmentServiceController } from './segment-service.controller.js';
import { ServedGrpc } from './served-grpc.js';

/**
 * The gRPC services, for the option `grpc` of `SnowflakeServiceModule`. {@link snowflakeGrpc} makes them listen.
 *
 * @example
 * ```ts
 * SnowflakeServiceModule.forRoot({ authorize, grpc: grpcTransport })
 * ```
 */
export const grpcTransport: ServiceTransport = Object.freeze<ServiceTransport>({
  controllers: [IdServiceController, LeaseServiceController, SegmentServiceController],
  providers: [GrpcAccessGuard, GrpcProblemFilter, MeasuredGrpcCalls, ServedGrpc],
});
