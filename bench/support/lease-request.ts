import { randomBytes, randomInt } from 'node:crypto';
import type { LeaseClaim, LeaseRequest } from 'nestjs-snowflake/store';

/** As long as the name of a pod in Kubernetes and its process ID. */
const HOLDER_NAME = 'orders-7d9f8b6c5-x2x4q/4711';

/** Returns the request of a new holder, by default with the default window. */
export function acquireRequest(workerCount: number, windowMs = 60_000): LeaseRequest {
  return {
    layout: 'bench',
    firstWorkerId: 0,
    workerCount,
    windowMs,
    maxSkewMs: 5000,
    nonce: newNonce(),
    retry: false,
    assumeNew: true,
    searchSeed: randomInt(2 ** 31),
  };
}

/** Returns the next request of a holder: it renews `lease`, under a nonce of its own as each renewal does. */
export function renewalRequest(request: LeaseRequest, lease: LeaseClaim): LeaseRequest {
  const { workerId, fencingToken, untilMs } = lease;
  return { ...request, nonce: newNonce(), claim: { workerId, fencingToken, untilMs } };
}

export function newNonce(): string {
  return `${randomBytes(8).toString('hex')}:${HOLDER_NAME}`;
}
