import { randomBytes, randomInt } from 'node:crypto';
import type { LeaseRequest } from 'nestjs-snowflake/store';

/** A request of a new holder with the default settings. */
export function acquireRequest(workerCount: number): LeaseRequest {
  return {
    layout: 'bench',
    firstWorkerId: 0,
    workerCount,
    windowMs: 60_000,
    maxSkewMs: 5000,
    nonce: `${randomBytes(8).toString('hex')}:orders-7d9f8b6c5-x2x4q/4711`,
    retry: false,
    assumeNew: true,
    searchSeed: randomInt(2 ** 31),
  };
}
