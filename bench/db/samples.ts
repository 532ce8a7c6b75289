import { median } from '../support/quantile.js';

/** The times of one operation by the name of the key. Samples of one index are of the same round. */
export class Samples {
  private readonly byKey = new Map<string, number[]>();

  add(key: string, sample: number): void {
    const samples = this.byKey.get(key);
    if (samples === undefined) this.byKey.set(key, [sample]);
    else samples.push(sample);
  }

  private of(key: string): readonly number[] {
    return this.byKey.get(key) ?? [];
  }

  /** Summarizes samples in microseconds. Compares within each round, so that noise that outlasts a round cancels out. */
  summary(key: string, baseKey: string): Summary {
    const base = this.of(baseKey);
    const ratios = this.of(key).map((sample, round) => sample / (base[round] ?? Number.NaN));
    return { microsPerRow: round3(median(this.of(key))), ratio: round3(median(ratios)) };
  }
}

export interface Summary {
  /** Median of the rounds. */
  readonly microsPerRow: number;
  /** Median of the ratios to the base key in the same round. */
  readonly ratio: number;
}

function round3(value: number): number {
  return Math.round(value * 1000) / 1000;
}

/** Returns the order of a round, in which no key always follows the same one. */
export function rotated<Item>(items: readonly Item[], round: number): Item[] {
  const first = round % items.length;
  return [...items.slice(first), ...items.slice(0, first)];
}
