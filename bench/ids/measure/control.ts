import { newGenerator } from '../generators.js';
import { ourGenerator } from '../rivals/ours.js';
import { duplicatesInBurst } from './duplicates.js';

/** What no lease would allow: two generators with one worker ID. A search that finds no duplicates here finds none. */
export function duplicatesOfControl(ids: number): Promise<number> {
  return duplicatesInBurst({ ...ourGenerator, make: () => ({ bigint: twoWithOneWorkerId() }) }, ids);
}

function twoWithOneWorkerId(): () => bigint {
  const one = newGenerator();
  const other = newGenerator();
  let isOther = false;
  return () => {
    isOther = !isOther;
    return (isOther ? other : one).nextBigInt();
  };
}
