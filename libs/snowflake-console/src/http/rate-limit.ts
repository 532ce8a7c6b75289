import type { Clock } from 'nestjs-snowflake/core';

const MINUTE_MS = 60_000;

/** Lets at most so many requests through in any minute. */
export class RateLimit {
  /** When the requests of the last minute were let through. */
  private times: number[] = [];

  constructor(
    private readonly perMinute: number,
    private readonly clock: Pick<Clock, 'now'>,
  ) {}

  /** Lets a request through. @returns how long to wait until one is let through, in milliseconds; 0 if this one is */
  take(): number {
    const nowMs = this.clock.now();
    // A clock that went back must not keep them for longer than a minute.
    this.times = this.times.filter((timeMs) => timeMs <= nowMs && timeMs > nowMs - MINUTE_MS);
    const [oldest] = this.times;
    if (oldest !== undefined && this.times.length >= this.perMinute) return oldest + MINUTE_MS - nowMs;
    this.times.push(nowMs);
    return 0;
  }
}
