import type { LeaseRequest, ReleaseRequest } from 'nestjs-snowflake/store';
import { checkLeaseRequest, checkReleaseRequest } from 'nestjs-snowflake/internal/stores/check-request';
import { requireFields } from '../requests/request-fields.js';
import { integer, list, type Schema, strictObject, text } from '../requests/schema.js';

const DAY_MS = 86_400_000;
const FLAG: Schema = { type: 'boolean' };
export const WORKER_ID = integer(0, 2 ** 31 - 1);
/** Unix times and lengths that a registry can hold. */
export const STORED_MS = integer(0, 999_999_999_999_999);
export const FENCING_TOKEN: Schema = {
  type: 'string',
  minLength: 1,
  description: 'Identifies one grant and its last renewal.',
};

const CLAIM = strictObject({ workerId: WORKER_ID, fencingToken: FENCING_TOKEN, untilMs: STORED_MS });

export const LEASE_REQUEST = strictObject(
  {
    layout: {
      type: 'string',
      minLength: 1,
      maxLength: 1000,
      description: 'Identifies the bit layout, the epoch and the range of worker IDs.',
    },
    firstWorkerId: WORKER_ID,
    workerCount: integer(1, 2 ** 31),
    windowMs: integer(1, DAY_MS),
    maxSkewMs: integer(0, DAY_MS),
    nonce: { type: 'string', pattern: '^[^@~]{1,200}$' },
    attempts: list({ type: 'string', pattern: '^[^@~:]{1,64}$' }, { minItems: 1, maxItems: 64 }),
    retry: FLAG,
    assumeNew: FLAG,
    ignoreLoss: FLAG,
    searchSeed: WORKER_ID,
    preferLongestOffline: FLAG,
    claim: CLAIM,
  },
  ['attempts', 'ignoreLoss', 'preferLongestOffline', 'claim'],
);

export const RELEASE_REQUEST = strictObject({
  workerId: WORKER_ID,
  fencingToken: text(),
  lastUsedMs: STORED_MS,
});

/** Reads the request to acquire or renew a lease. The port of stores checks the values. @throws RequestRefusal, InvalidOptionError */
export function toLeaseRequest(body: unknown): LeaseRequest {
  const request = requireFields<LeaseRequest>('body', body, LEASE_REQUEST);
  if (request.claim !== undefined) requireFields('claim', request.claim, CLAIM);
  checkLeaseRequest(request);
  return request;
}

/** Reads the request to release a lease. @throws RequestRefusal, InvalidOptionError */
export function toReleaseRequest(body: unknown): ReleaseRequest {
  const request = requireFields<ReleaseRequest>('body', body, RELEASE_REQUEST);
  checkReleaseRequest(request);
  return request;
}
