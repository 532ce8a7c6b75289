import { newGenerator } from '../generators.js';
import { ourGenerator } from '../rivals/ours.js';
import { TWELVE_BITS } from '../rivals/rival.js';
import type { Settings } from '../settings.js';
import { median } from './median.js';
import { sustainedPerSecond } from './sustained.js';

/** What happens when a sequence of 12 bits is exhausted. */
export interface Exhaustion {
  readonly burstIds: number;
  /** A burst under `borrow`, in ms. */
  readonly borrowBurstMs: number;
  /** The same under `wait`, in ms. */
  readonly waitBurstMs: number;
  /** IDs a second under `wait`. */
  readonly waitPerSecond: number;
  /** The same as a share of 4,096,000. */
  readonly waitShare: number;
}

const BURST_IDS = 100_000;

export async function measureExhaustion(settings: Settings): Promise<Exhaustion> {
  const waitPerSecond = await sustainedPerSecond(
    { ...ourGenerator, make: () => ({ bigint: bigintsOf('wait') }) },
    settings.sustainedMs,
  );
  return {
    burstIds: BURST_IDS,
    borrowBurstMs: median(Array.from({ length: settings.rounds }, () => timeOfBurst('borrow'))),
    waitBurstMs: median(Array.from({ length: settings.rounds }, () => timeOfBurst('wait'))),
    waitPerSecond,
    waitShare: waitPerSecond / (TWELVE_BITS * 1000),
  };
}

function bigintsOf(exhaustion: 'borrow' | 'wait'): () => bigint {
  const generator = newGenerator(undefined, { onSequenceExhausted: exhaustion });
  return () => generator.nextBigInt();
}

function timeOfBurst(exhaustion: 'borrow' | 'wait'): number {
  const next = bigintsOf(exhaustion);
  const ids = new BigUint64Array(BURST_IDS);
  const startMs = performance.now();
  for (let at = 0; at < BURST_IDS; at++) ids[at] = next();
  return performance.now() - startMs;
}
