import type { LeaseRequest, ReleaseRequest } from 'nestjs-snowflake/store';
import { checkLeaseRequest, checkReleaseRequest } from 'nestjs-snowflake/internal/stores/check-request';
import { type FieldKinds, requireFields } from '../requests/request-fields.js';

const LEASE: FieldKinds = {
  layout: 'text',
  firstWorkerId: 'number',
  workerCount: 'number',
  windowMs: 'number',
  maxSkewMs: 'number',
  nonce: 'text',
  attempts: 'list?',
  retry: 'boolean',
  assumeNew: 'boolean',
  ignoreLoss: 'boolean?',
  searchSeed: 'number',
  preferLongestOffline: 'boolean?',
  claim: 'object?',
};
const CLAIM: FieldKinds = { workerId: 'number', fencingToken: 'text', untilMs: 'number' };
const RELEASE: FieldKinds = { workerId: 'number', fencingToken: 'text', lastUsedMs: 'number' };

/** Reads the request to acquire or renew a lease. @throws RequestRefusal, InvalidOptionError */
export function toLeaseRequest(body: unknown): LeaseRequest {
  const request = requireFields<LeaseRequest>('body', body, LEASE);
  if (request.claim !== undefined) requireFields('claim', request.claim, CLAIM);
  checkLeaseRequest(request);
  return request;
}

/** Reads the request to release a lease. @throws RequestRefusal, InvalidOptionError */
export function toReleaseRequest(body: unknown): ReleaseRequest {
  const request = requireFields<ReleaseRequest>('body', body, RELEASE);
  checkReleaseRequest(request);
  return request;
}
