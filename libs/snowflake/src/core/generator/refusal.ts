import type { BitLayout } from '../layout/bit-layout.js';
import {
  LeaseExhaustedError,
  NotReadyError,
  StoppedError,
  TimestampExhaustedError,
} from '../errors/issuing-errors.js';
import type { SnowflakeError } from '../errors/snowflake-error.js';
import type { LogicalClock } from './logical-clock.js';

/**
 * Returns the error that says why a tick beyond the limit can't be used.
 *
 * @param workerId the worker ID in use; -1 before the first lease
 */
export function refusalOf(layout: BitLayout, time: LogicalClock, workerId: number): SnowflakeError {
  if (time.isClosed) return new StoppedError();
  if (workerId < 0) return new NotReadyError();
  if (time.limit >= layout.maxTick) return new TimestampExhaustedError(layout.expiresAt);
  return new LeaseExhaustedError(workerId, new Date(time.windowEndMs));
}
