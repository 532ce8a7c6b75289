import type { ServerUnaryCall, ServerWritableStream } from '@grpc/grpc-js';
import type { ArgumentsHost } from '@nestjs/common';
import { systemClock } from 'nestjs-snowflake/core';

/** A call with one request, and one response or many. */
export type GrpcCall<Request> = ServerUnaryCall<Request, object> | ServerWritableStream<Request, object>;

/** Returns the call that Nest passes to a handler as its third argument. */
export const grpcCallOf = (context: ArgumentsHost): GrpcCall<unknown> => context.getArgByIndex(2);

/** Reserved for the response, so that the service can still report why its store did not answer: this, or this share of a short call. */
const TRAVEL_MS = 100;
const TRAVEL_SHARE = 1 / 4;

/** Returns how long the client waits for the service's own calls, in milliseconds. Without a deadline: as long as the service does. */
export function timeoutMsOf(call: Pick<GrpcCall<unknown>, 'getDeadline'>): number {
  const leftMs = Math.min(Number.MAX_SAFE_INTEGER, Number(call.getDeadline()) - systemClock.now());
  return Math.max(1, leftMs - Math.min(TRAVEL_MS, leftMs * TRAVEL_SHARE));
}
