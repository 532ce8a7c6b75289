/** Steps per doubling above the exact part: a share read from it is off by 1 % at most. */
const STEPS = 64;
const EXACT_BELOW = 128;

/** Counts of values from 0 up, exact when small, in narrow classes when large. */
export class Histogram {
  private readonly counts = new Map<number, number>();
  private total = 0;

  add(value: number): void {
    this.addTo(classOf(value), 1);
  }

  addAll(other: Histogram): void {
    for (const [index, count] of other.counts) this.addTo(index, count);
  }

  /** The value below which the share lies; 0 when there are none. */
  quantile(share: number): number {
    let left = this.total * share;
    const classes = [...this.counts].sort(([a], [b]) => a - b);
    for (const [index, count] of classes) {
      left -= count;
      if (left <= 0) return valueOf(index);
    }
    return 0;
  }

  /** As plain data. */
  toJSON(): [number, number][] {
    return [...this.counts].sort(([a], [b]) => a - b);
  }

  static from(counts: readonly (readonly [number, number])[]): Histogram {
    const histogram = new Histogram();
    for (const [index, count] of counts) histogram.addTo(index, count);
    return histogram;
  }

  private addTo(index: number, count: number): void {
    this.counts.set(index, (this.counts.get(index) ?? 0) + count);
    this.total += count;
  }
}

function classOf(value: number): number {
  if (value < EXACT_BELOW) return Math.floor(value);
  return EXACT_BELOW + Math.floor(STEPS * Math.log2(value / EXACT_BELOW));
}

function valueOf(index: number): number {
  if (index < EXACT_BELOW) return index;
  return Math.round(EXACT_BELOW * 2 ** ((index - EXACT_BELOW) / STEPS));
}
