import type { Maker, Rival } from '../rivals/rival.js';
import { loopOf } from './loop-of.js';

const CHUNK_IDS = 1000;
/** Before the measurement: `borrow` has spent its second in advance by then, and all code is optimised. */
const WARM_UP_SHARE = 0.5;

/** IDs a second that a rival makes in a tight loop over some seconds: what it comes to when the sequence is full. */
export async function sustainedPerSecond(rival: Rival, durationMs: number): Promise<number> {
  const maker = await rival.make();
  const calls = Math.max(1, Math.round(CHUNK_IDS / rival.idsPerCall));
  const { run } = loopOf(sourceOf(maker), calls);
  const pass = async (forMs: number): Promise<number> => {
    const startMs = performance.now();
    let chunks = 0;
    let nowMs = startMs;
    do {
      const running = run(calls);
      if (running) await running;
      chunks++;
      nowMs = performance.now();
    } while (nowMs - startMs < forMs);
    return (chunks * calls * rival.idsPerCall) / ((nowMs - startMs) / 1000);
  };
  await pass(durationMs * WARM_UP_SHARE);
  return pass(durationMs);
}

/** The faster of the two: bigints, where there are any. */
export function sourceOf({ bigint, string }: Maker): NonNullable<Maker['bigint']> {
  const source = bigint ?? string;
  if (!source) throw new Error('A rival makes neither bigints nor strings');
  return source;
}
