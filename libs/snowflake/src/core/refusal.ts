import type { BitLayout } from './bit-layout.js';
import {
  LeaseExhaustedError,
  NotReadyError,
  type SnowflakeError,
  StoppedError,
  TimestampExhaustedError,
} from './errors.js';
import type { LogicalClock } from './logical-clock.js';

/**
 * Why no ID can be issued in a tick beyond the limit.
 *
 * @param workerId the one in use, -1 before the first
 */
export function refusalOf(
  layout: BitLayout,
  time: LogicalClock,
  workerId: number,
  stopped: boolean,
): SnowflakeError {
  if (stopped) return new StoppedError();
  if (workerId < 0) return new NotReadyError();
  if (time.limit >= layout.maxTick) return new TimestampExhaustedError(layout.expiresAt);
  return new LeaseExhaustedError(workerId, new Date(time.windowEndMs));
}
