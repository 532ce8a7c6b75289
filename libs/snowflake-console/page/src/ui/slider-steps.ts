/** Two significant digits are as precise as a slider can be. */
const FINEST = 100;

/** Returns the values that a slider from 1 to `most` stops at, ascending: each differs from the one before. */
export function stepsTo(most: number): readonly number[] {
  const steps: number[] = [];
  for (let value = 1; value < most; value += value < FINEST ? 1 : 10 ** Math.floor(Math.log10(value)) / 10) {
    steps.push(value);
  }
  return [...steps, most];
}

/** Returns the index of the step at a value, or of the last one before it. */
export function stepAt(steps: readonly number[], value: number): number {
  return Math.max(
    0,
    steps.findLastIndex((step) => step <= value),
  );
}
