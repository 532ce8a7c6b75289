/** What some measured times come to. */
export interface Figures {
  readonly medianMs: number;
  /** A quarter of the times are shorter. */
  readonly lowMs: number;
  /** A quarter of the times are longer. */
  readonly highMs: number;
}

export function figuresOf(timesMs: readonly number[]): Figures {
  const sorted = timesMs.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.round(share * (sorted.length - 1))] ?? Number.NaN;
  return { medianMs: at(0.5), lowMs: at(0.25), highMs: at(0.75) };
}
