import { isCorrect, peersBySpeed, type Standing } from './comparison.js';
import { ourGenerator, ourMaker } from './rivals/ours.js';
import type { Rival } from './rivals/rival.js';

/** How many times as fast this library is as another one. */
export interface Ratio {
  readonly what: string;
  readonly ours: string;
  readonly oursNs: number;
  readonly against: string;
  readonly theirNs: number;
  readonly timesAsFast: number;
}

type Kind = 'bigintNs' | 'stringNs';

/** Against the fastest correct snowflake generator for bigints and strings, and against `crypto.randomUUID`. */
export function ratios(standings: readonly Standing[]): Ratio[] {
  const all: Ratio[] = [];
  for (const way of [ourGenerator, ourMaker]) {
    for (const kind of ['bigintNs', 'stringNs'] as const) {
      all.push(...ratio(kind, standings, way, peersBySpeed(standings, kind).find(isCorrect)));
    }
    const uuid = standings.find(({ rival }) => rival.name === 'crypto.randomUUID');
    all.push(...ratio('stringNs', standings, way, uuid));
  }
  return all;
}

function ratio(kind: Kind, standings: readonly Standing[], way: Rival, other?: Standing): Ratio[] {
  const oursNs = standings.find(({ rival }) => rival === way)?.speed[kind];
  const theirNs = other?.speed[kind];
  if (!other || oursNs === undefined || theirNs === undefined) return [];
  return [
    {
      what: kind === 'bigintNs' ? 'bigint' : 'string',
      ours: way.name,
      oursNs,
      against: other.rival.name,
      theirNs,
      timesAsFast: theirNs / oursNs,
    },
  ];
}
