import type { BackfillRequest, LeaseRequest, ReleaseRequest } from 'nestjs-snowflake/store';
import {
  checkBackfillRequest,
  checkLeaseRequest,
  checkReleaseRequest,
} from 'nestjs-snowflake/internal/stores/check-request';
import { requireFields } from '../requests/request-fields.js';
import {
  BACKFILL_REQUEST,
  LEASE_CLAIM,
  LEASE_REQUEST,
  RELEASE_REQUEST,
} from 'nestjs-snowflake/internal/stores/lease-fields';

/** Reads the request to acquire or renew a lease. The port of stores checks the values. @throws RequestRefusal, InvalidOptionError */
export function toLeaseRequest(body: unknown): LeaseRequest {
  const request = requireFields<LeaseRequest>('body', body, LEASE_REQUEST);
  if (request.claim !== undefined) requireFields('claim', request.claim, LEASE_CLAIM);
  checkLeaseRequest(request);
  return request;
}

/** Reads the request to release a lease. @throws RequestRefusal, InvalidOptionError */
export function toReleaseRequest(body: unknown): ReleaseRequest {
  const request = requireFields<ReleaseRequest>('body', body, RELEASE_REQUEST);
  checkReleaseRequest(request);
  return request;
}

/** Reads the request to claim timestamps of the past. @throws RequestRefusal, InvalidOptionError */
export function toBackfillRequest(body: unknown): BackfillRequest {
  const request = requireFields<BackfillRequest>('body', body, BACKFILL_REQUEST);
  checkBackfillRequest(request);
  return request;
}
