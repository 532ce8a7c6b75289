import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Rival } from '../rivals/rival.js';
import { loopOf, type SourceLoop, sourceOf } from './loop-of.js';

/** How many of so many IDs equal another one. */
export async function duplicatesInBurst(rival: Rival, ids: number): Promise<number> {
  const calls = Math.ceil(ids / rival.idsPerCall);
  const { kept, run } = loopOf(sourceOf(await rival.make()), calls);
  await nextTurn();
  await run(calls);
  return duplicatesIn(kept);
}

/** The number of IDs minus the number of different IDs. */
export function duplicatesIn(made: SourceLoop['kept']): number {
  const ids = (made as (bigint | string | BigUint64Array | string[])[]).flatMap<bigint | string>((item) =>
    typeof item === 'object' ? [...item] : [item],
  );
  const [first] = ids;
  // Sorting 64-bit integers takes far less memory than a set of them.
  if (typeof first === 'bigint') return duplicatesInSorted(BigUint64Array.from(ids as bigint[]).sort());
  return ids.length - new Set(ids).size;
}

function duplicatesInSorted(ids: BigUint64Array): number {
  let duplicates = 0;
  for (let at = 1; at < ids.length; at++) if (ids[at] === ids[at - 1]) duplicates++;
  return duplicates;
}
