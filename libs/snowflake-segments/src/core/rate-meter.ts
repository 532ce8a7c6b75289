/**
 * Time constant of the average, in milliseconds. A handful of numbers at once is no rate: extrapolated over an outage, it would
 * make thousands, all of which a crash loses.
 */
const AVERAGE_MS = 60_000;

/** A longer interval counts as this long: the clock may have stepped forward. */
const LONGEST_INTERVAL_MS = 10_000;

/** Shorter intervals are added up. */
const SHORTEST_INTERVAL_MS = 100;

/** A lower rate counts as none. A single number makes fifty times as much. */
const LOWEST_PER_MS = 1 / 3_600_000;

/** Measures how many numbers are issued per millisecond, averaged over about a minute. */
export class RateMeter {
  private rate = 0;
  private issued = 0;
  private sinceMs: number | undefined;

  /** Numbers per millisecond. */
  get perMs(): number {
    return this.rate;
  }

  /**
   * Takes a reading.
   *
   * @param issued numbers issued so far
   * @param nowMs the present time. After a step back, the reading starts a new interval
   */
  read(issued: number, nowMs: number): void {
    const elapsedMs = nowMs - (this.sinceMs ?? nowMs);
    if (this.sinceMs !== undefined && elapsedMs >= 0 && elapsedMs < SHORTEST_INTERVAL_MS) return;
    if (elapsedMs > 0) this.follow(issued - this.issued, Math.min(elapsedMs, LONGEST_INTERVAL_MS));
    this.issued = issued;
    this.sinceMs = nowMs;
  }

  private follow(issued: number, elapsedMs: number): void {
    this.rate += (issued / elapsedMs - this.rate) * (1 - Math.exp(-elapsedMs / AVERAGE_MS));
    if (this.rate < LOWEST_PER_MS) this.rate = 0;
  }
}
