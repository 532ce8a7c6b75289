import type { Clock } from 'nestjs-snowflake/core';

const MINUTE_MS = 60_000;

/** Lets so many requests through in a minute: all of them at once, or one after the other. */
export class TokenBucket {
  private tokens: number;
  private filledMs: number;

  constructor(
    private readonly perMinute: number,
    private readonly clock: Pick<Clock, 'now'>,
  ) {
    this.tokens = perMinute;
    this.filledMs = clock.now();
  }

  /** Takes a token. @returns how long to wait until there is one, in milliseconds; 0 if it was taken */
  take(): number {
    this.fill();
    if (this.tokens < 1) return Math.ceil(((1 - this.tokens) * MINUTE_MS) / this.perMinute);
    this.tokens -= 1;
    return 0;
  }

  /** A clock that steps back fills nothing, and doesn't empty the bucket. */
  private fill(): void {
    const nowMs = this.clock.now();
    const elapsedMs = Math.max(0, nowMs - this.filledMs);
    this.tokens = Math.min(this.perMinute, this.tokens + (elapsedMs * this.perMinute) / MINUTE_MS);
    this.filledMs = nowMs;
  }
}
