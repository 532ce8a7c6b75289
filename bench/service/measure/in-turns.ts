import type { Settings } from '../settings.js';

/**
 * Measures each of `names` once per round, after rounds that don't count. Each round begins with another one, so that a disturbance
 * affects all of them alike.
 *
 * @param step is called once per round
 * @returns the measurements of each name, round by round
 */
export async function inTurns<Name extends string>(
  names: readonly Name[],
  { rounds, warmUpRounds }: Pick<Settings, 'rounds' | 'warmUpRounds'>,
  step: (note: string) => void,
  measure: (name: Name) => Promise<number>,
): Promise<Readonly<Record<Name, readonly number[]>>> {
  const measured = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (let round = 0; round < warmUpRounds; round += 1) {
    for (const name of names) await measure(name);
  }
  for (let round = 0; round < rounds; round += 1) {
    step(`round ${round + 1} of ${names.join(', ')}`);
    const first = round % names.length;
    for (const name of [...names.slice(first), ...names.slice(0, first)])
      measured[name].push(await measure(name));
  }
  return measured;
}
