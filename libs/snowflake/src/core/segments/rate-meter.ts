/** The rate follows a decline with this time constant, in milliseconds. It follows a rise at once. */
const DECLINE_MS = 30_000;

/** A longer interval counts as this long: the clock may have stepped forward. */
const LONGEST_INTERVAL_MS = 10_000;

/** Shorter intervals are added up. */
const SHORTEST_INTERVAL_MS = 100;

/** Measures how many numbers are issued per millisecond. */
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
    const present = issued / elapsedMs;
    const share = present >= this.rate ? 1 : 1 - Math.exp(-elapsedMs / DECLINE_MS);
    this.rate += (present - this.rate) * share;
  }
}
