/** The value below which `part` (0 to 1) of the values lie. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const value = sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))];
  if (value === undefined) throw new Error('There is no quantile of nothing');
  return value;
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The median of the ratios within each round. */
export function medianRatio(ours: readonly number[], others: readonly number[]): number {
  return median(ours.map((value, round) => value / (others[round] ?? Number.NaN)));
}
