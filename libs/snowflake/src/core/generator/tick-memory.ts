/** Number of ticks whose free sequence numbers are remembered. */
const REMEMBERED = 256;

/**
 * Remembers the first free sequence number of each of the last 256 ticks.
 *
 * Serves the clock rollback policy `reuse`: ticks that the clock repeats often have sequence numbers left. Storing only
 * the last ID isn't enough, because ID + 1 can fall into a tick that was used as well.
 */
export class TickMemory {
  /** The latest used tick. */
  highest = -1;

  private readonly ticks = new Float64Array(REMEMBERED);
  private readonly sequences = new Float64Array(REMEMBERED);
  /** First tick of the window. Ticks below it can belong to other holders. */
  private lowest = 0;

  /** Starts a new window: all ticks above `tick` are unused, and those up to it must not be used. */
  beginAfter(tick: number): void {
    this.ticks.fill(-1);
    this.highest = tick;
    this.lowest = tick + 1;
  }

  /** Records that all sequence numbers of `tick` below `firstFree` are used. */
  note(tick: number, firstFree: number): void {
    if (tick < this.lowest) return;
    const slot = tick % REMEMBERED;
    this.ticks[slot] = tick;
    this.sequences[slot] = firstFree;
    if (tick > this.highest) this.highest = tick;
  }

  /** Returns the first free sequence number of a tick from {@link earliestFree}, or of one above {@link highest}. */
  firstFree(tick: number): number {
    const slot = tick % REMEMBERED;
    return this.ticks[slot] === tick ? this.sequences[slot]! : 0;
  }

  /** Returns the earliest tick from `tick` to {@link highest} that is known to have free sequence numbers. */
  earliestFree(tick: number, idsPerTick: number): number | undefined {
    for (let candidate = Math.max(tick, this.oldest); candidate <= this.highest; candidate++) {
      if (this.firstFree(candidate) < idsPerTick) return candidate;
    }
    return undefined;
  }

  private get oldest(): number {
    return Math.max(this.lowest, this.highest - REMEMBERED + 1);
  }
}
