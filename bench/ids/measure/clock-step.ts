import type { Rival } from '../rivals/rival.js';
import { duplicatesIn } from './duplicates.js';
import { type SourceLoop, sourceOf } from './loop-of.js';
import { SteppedClock } from './stepped-clock.js';

/** What a rival did when the clock stepped back. */
export interface ClockStepOutcome {
  readonly duplicates: number;
  /** It refused to generate IDs, with this message. */
  readonly refusal?: string;
}

/**
 * Far from a full sequence, so that nothing but the step is what makes duplicates. Uneven, as load is: a counter that
 * goes round is not to be somewhere else by arithmetic when a millisecond comes again.
 */
const MOST_IDS_PER_MS = 400;

/**
 * Lets a rival make 1 to {@link MOST_IDS_PER_MS} IDs each millisecond, puts the clock back by `stepMs` when more than
 * that has passed, and goes on until the clock has come to where it was: the same milliseconds are lived through twice.
 *
 * @returns undefined for rivals that read no clock, or one that is not put back here
 */
export async function putClockBack(rival: Rival, stepMs: number): Promise<ClockStepOutcome | undefined> {
  if (rival.clock !== 'Date') return undefined;
  const clock = new SteppedClock();
  const made: SourceLoop['kept'] = [];
  const load = unevenLoad();
  try {
    const next = sourceOf(await rival.make());
    const issue = async (forMs: number): Promise<void> => {
      const endMs = performance.now() + forMs;
      for (let dueMs = performance.now(); dueMs < endMs; dueMs++) {
        while (performance.now() < dueMs);
        const wanted = load();
        for (let count = 0; count < wanted; count += rival.idsPerCall) {
          const item = next();
          made.push(item instanceof Promise ? await item : item);
        }
      }
    };
    await issue(stepMs * 1.1);
    clock.stepBack(stepMs);
    await issue(stepMs * 1.1);
    return { duplicates: duplicatesIn(made) };
  } catch (error) {
    return {
      duplicates: duplicatesIn(made),
      refusal: error instanceof Error ? error.message : String(error),
    };
  } finally {
    clock.restore();
  }
}

/** The same numbers for every rival: a linear congruential generator (Numerical Recipes). */
function unevenLoad(): () => number {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return 1 + Math.floor((state / 2 ** 32) * MOST_IDS_PER_MS);
  };
}
