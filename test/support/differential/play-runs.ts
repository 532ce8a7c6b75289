import fc from 'fast-check';
import type { ModelPair } from './model-pair.js';
import { smallRange, stepsWith } from './steps.js';

/** How many runs of about 90 steps each are played, and on which values. */
export interface Runs {
  readonly numRuns: number;
  /** @defaultValue a different seed in each run */
  readonly seed?: number;
}

/** What every change is checked with: the same few runs each time. Choose a seed with which they meet every outcome. */
export const changeRuns = (numRuns: number, seed: number): Runs => ({ numRuns, seed });

/** What the lab plays, with other values each time. `DIFFERENTIAL_RUNS=1150` makes more than 100,000 steps of it. */
export const labRuns = (numRuns: number): Runs => ({
  numRuns: Number(process.env['DIFFERENTIAL_RUNS'] ?? numRuns),
});

/**
 * Plays runs on the model and on a real server, and compares each answer and all that is stored after each step.
 *
 * @param garbage what fields are damaged with
 * @returns the outcomes of all calls, in order
 */
export async function playRuns(
  runs: Runs,
  garbage: readonly string[],
  makePair: (range: { firstWorkerId: number; workerCount: number }) => ModelPair,
): Promise<string[]> {
  const outcomes = new Set<string>();
  const property = fc.asyncProperty(smallRange, stepsWith(garbage), async (range, steps) => {
    const pair = makePair(range);
    await pair.prepare();
    for (const play of steps) await play(pair);
    for (const outcome of pair.outcomes) outcomes.add(outcome);
  });
  await fc.assert(property, { ...runs, endOnFailure: true });
  return [...outcomes].sort();
}
