import type { TagSnapshot } from 'nestjs-snowflake-segments/store';
import type { Kind } from '../../../../integration/sql-store/support/databases.js';
import { Issuers } from './issuers.js';

const OF_STRANGERS = 5000;

export interface CrowdPlan {
  readonly processes: number;
  /** How many of them are killed and replaced. */
  readonly killed: number;
  /** Numbers that the processes issue together. */
  readonly total: number;
}

/** What a run came to. */
export interface CrowdVerdict {
  readonly issued: number;
  /** Numbers that were issued twice, or were issued and returned. */
  readonly duplicates: number;
  /** Numbers that were claimed and are neither issued nor a rest nor held by a process that was killed. */
  readonly lost: number;
  /** Segments of processes that were killed. */
  readonly held: number;
}

/** Some processes issue numbers; some of them are killed and replaced, and the rest end by SIGTERM. */
export async function runCrowd(kind: Kind, { processes, killed, total }: CrowdPlan): Promise<CrowdVerdict> {
  const issuers = await Issuers.on(kind);
  try {
    const each = Math.ceil(total / processes);
    const tables = (count: number): string[] => Array.from({ length: count }, () => 'crowd');
    let children = await issuers.begin(tables(processes), each);
    if (killed > 0) {
      await Promise.all(
        children.slice(0, killed).map(async (child) => {
          await issuers.untilSomeIssued(child, each / 4);
          await child.kill('SIGKILL');
        }),
      );
      children = [...children.slice(killed), ...(await issuers.begin(tables(killed), each))];
    }
    await issuers.untilIssued(children);
    await issuers.terminate(children);
    return verdictOf(await issuers.tag('crowd'), issuers.numbers());
  } finally {
    await issuers.remove();
  }
}

function verdictOf({ next, rests, held }: TagSnapshot, numbers: readonly Float64Array[]): CrowdVerdict {
  // Index 0 is no number.
  const isSeen = new Uint8Array(next).fill(1, 0, 1);
  const ofRests = rests.map(({ first, count }) =>
    Float64Array.from({ length: count }, (_, at) => first + at),
  );
  const duplicates = markSeen(isSeen, [...numbers, ...ofRests]);
  for (const { first, count } of held) isSeen.fill(1, first, first + count);
  return {
    issued: numbers.reduce((sum, { length }) => sum + length, 0),
    duplicates,
    lost: isSeen.reduce((sum, seen) => sum + 1 - seen, 0),
    held: held.length,
  };
}

/** Returns how many of the numbers were seen before. @throws Error at a number that no process can have claimed */
function markSeen(isSeen: Uint8Array, parts: readonly Float64Array[]): number {
  let duplicates = 0;
  for (const part of parts) {
    for (const number of part) {
      const seen = isSeen[number];
      if (seen === undefined) throw new Error(`${number} was issued, and no claim has granted it`);
      duplicates += seen;
      isSeen[number] = 1;
    }
  }
  return duplicates;
}

/** The same processes in tables of their own, where each one starts at 1. */
export async function runStrangers(kind: Kind): Promise<number> {
  const issuers = await Issuers.on(kind);
  try {
    const children = await issuers.begin(['one', 'two'], OF_STRANGERS);
    await issuers.untilIssued(children);
    await issuers.terminate(children);
    return markSeen(new Uint8Array(OF_STRANGERS + 1), issuers.numbers());
  } finally {
    await issuers.remove();
  }
}
