/** How many ticks back sequences are remembered. */
const REMEMBERED = 256;

/**
 * The first free sequence number of each of the last 256 ticks.
 *
 * For the clock rollback policy `reuse`: ticks that the clock shows a second time often have sequence numbers left. What is
 * stored is (tick, sequence). The last ID made is not enough: ID + 1 may lie in a tick that was used as well.
 */
export class TickMemory {
  /** The latest tick used. */
  highest = -1;

  private readonly ticks = new Float64Array(REMEMBERED);
  private readonly sequences = new Float64Array(REMEMBERED);
  /** Ticks below belong to somebody else. */
  private lowest = 0;

  /** Begins a new window: nothing above `tick` has been used, and nothing up to it may be. */
  beginAfter(tick: number): void {
    this.ticks.fill(-1);
    this.highest = tick;
    this.lowest = tick + 1;
  }

  /** Notes that of `tick` all sequence numbers below `firstFree` are used. */
  note(tick: number, firstFree: number): void {
    if (tick < this.lowest) return;
    const slot = tick % REMEMBERED;
    this.ticks[slot] = tick;
    this.sequences[slot] = firstFree;
    if (tick > this.highest) this.highest = tick;
  }

  /** The first free sequence number of a tick from {@link earliestFree}, or of one above {@link highest}. */
  firstFree(tick: number): number {
    const slot = tick % REMEMBERED;
    return this.ticks[slot] === tick ? this.sequences[slot]! : 0;
  }

  /** The earliest tick from `tick` to {@link highest} that is known to have one of `idsPerTick` sequence numbers free. */
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
