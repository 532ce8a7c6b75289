import type { Clock } from 'nestjs-snowflake/core';

const MINUTE_MS = 60_000;

/** Limits the requests in any period of one minute. */
export class RateLimit {
  /** When the requests of the last minute were admitted. */
  private times: number[] = [];

  constructor(
    private readonly perMinute: number,
    private readonly clock: Pick<Clock, 'now'>,
  ) {}

  /** Admits a request. @returns 0, or the milliseconds until the next request is admitted if this one is not */
  take(): number {
    const nowMs = this.clock.now();
    // After a clock rollback, a time in the future must not block requests for longer than a minute.
    this.times = this.times.filter((timeMs) => timeMs <= nowMs && timeMs > nowMs - MINUTE_MS);
    const [oldest] = this.times;
    if (oldest !== undefined && this.times.length >= this.perMinute) return oldest + MINUTE_MS - nowMs;
    this.times.push(nowMs);
    return 0;
  }
}
