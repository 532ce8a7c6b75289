import { type Clock, systemClock } from 'nestjs-snowflake/core';

/**
 * A clock that stands still: processes that share a worker ID generate the same IDs on it, however late one of them begins.
 * Without a time it is the system clock.
 */
export function clockAt(standsAtMs: number | undefined): Clock {
  if (standsAtMs === undefined) return systemClock;
  return { ...systemClock, now: () => standsAtMs, blockUntil: () => true };
}
