const BUCKETS = 1_000_000;

/** Counts times of calls in buckets of a nanosecond, up to a millisecond. */
export class Histogram {
  private readonly counts = new Uint32Array(BUCKETS + 1);
  private total = 0;
  private longestNs = 0;

  add(ns: number): void {
    this.total += 1;
    const bucket = Math.min(BUCKETS, Math.round(ns));
    this.counts[bucket] = this.countOf(bucket) + 1;
    if (ns > this.longestNs) this.longestNs = ns;
  }

  summary(): Summary {
    return {
      calls: this.total,
      p50Ns: this.quantile(0.5),
      p99Ns: this.quantile(0.99),
      p9999Ns: this.quantile(0.9999),
      longestNs: Math.round(this.longestNs),
    };
  }

  /** Share of calls that took longer. */
  shareAbove(ns: number): number {
    let above = 0;
    for (let bucket = ns + 1; bucket <= BUCKETS; bucket++) above += this.countOf(bucket);
    return above / this.total;
  }

  private countOf(bucket: number): number {
    return this.counts[bucket] ?? 0;
  }

  private quantile(share: number): number {
    let seen = 0;
    for (let bucket = 0; bucket <= BUCKETS; bucket++) {
      seen += this.countOf(bucket);
      if (seen >= share * this.total) return bucket;
    }
    return BUCKETS;
  }
}

/** What a {@link Histogram} holds. */
export interface Summary {
  readonly calls: number;
  readonly p50Ns: number;
  readonly p99Ns: number;
  readonly p9999Ns: number;
  readonly longestNs: number;
}
