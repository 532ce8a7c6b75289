/** The times of one operation by the name of the key. Samples of one index are of the same round. */
export class Samples {
  private readonly byKey = new Map<string, number[]>();

  add(key: string, sample: number): void {
    const samples = this.byKey.get(key);
    if (samples === undefined) this.byKey.set(key, [sample]);
    else samples.push(sample);
  }

  of(key: string): readonly number[] {
    return this.byKey.get(key) ?? [];
  }

  median(key: string): number {
    return round3(quantile(this.of(key), 0.5));
  }

  /** Median of the differences within each round. */
  medianMore(key: string, baseKey: string): number {
    const base = this.of(baseKey);
    return round3(
      quantile(
        this.of(key).map((sample, round) => sample - (base[round] ?? Number.NaN)),
        0.5,
      ),
    );
  }

  /** Summarizes samples in microseconds. Compares within each round, so that noise that outlasts a round cancels out. */
  summary(key: string, baseKey: string): Summary {
    const base = this.of(baseKey);
    const ratios = this.of(key).map((sample, round) => sample / (base[round] ?? Number.NaN));
    return {
      microsPerRow: this.median(key),
      ratio: round3(quantile(ratios, 0.5)),
      ratioQuartiles: [round3(quantile(ratios, 0.25)), round3(quantile(ratios, 0.75))],
      rounds: ratios.length,
    };
  }
}

export interface Summary {
  /** Median of the rounds. */
  readonly microsPerRow: number;
  /** Median of the ratios to the base key in the same round. */
  readonly ratio: number;
  readonly ratioQuartiles: readonly [number, number];
  readonly rounds: number;
}

/** By linear interpolation. NaN for no samples. */
function quantile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((left, right) => left - right);
  const position = (sorted.length - 1) * share;
  const [below, above] = [sorted[Math.floor(position)], sorted[Math.ceil(position)]];
  if (below === undefined || above === undefined) return Number.NaN;
  return below + (above - below) * (position - Math.floor(position));
}

function round3(value: number): number {
  return Math.round(value * 1000) / 1000;
}

/** Returns the order of a round, in which no key always follows the same one. */
export function rotated<Item>(items: readonly Item[], round: number): Item[] {
  const first = round % items.length;
  return [...items.slice(first), ...items.slice(0, first)];
}
