import { Metadata, status, type StatusObject } from '@grpc/grpc-js';
import type { Problem } from '../requests/problem.js';

const STATUSES: Readonly<Record<number, status>> = {
  400: status.INVALID_ARGUMENT,
  401: status.UNAUTHENTICATED,
  403: status.PERMISSION_DENIED,
  404: status.NOT_FOUND,
  413: status.RESOURCE_EXHAUSTED,
  429: status.RESOURCE_EXHAUSTED,
  500: status.INTERNAL,
  // An operator has to change something first.
  502: status.FAILED_PRECONDITION,
  503: status.UNAVAILABLE,
};

/** The stable code of the error. */
const CODE_TRAILER = 'snowflake-code';
/** Clients of gRPC that repeat calls by themselves wait so long before they do. */
const PUSHBACK_TRAILER = 'grpc-retry-pushback-ms';
const PUSHBACK_MS = 1000;

/** Returns a problem as the status of a call. */
export function grpcStatusOf({ status: httpStatus, code, detail }: Problem): StatusObject {
  const metadata = new Metadata();
  metadata.set(CODE_TRAILER, code);
  if (httpStatus === 503) metadata.set(PUSHBACK_TRAILER, String(PUSHBACK_MS));
  return { code: STATUSES[httpStatus] ?? status.UNKNOWN, details: detail, metadata };
}
