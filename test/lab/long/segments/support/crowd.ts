import { setTimeout as delay } from 'node:timers/promises';
import type { Kind } from '../../../../integration/sql-store/support/databases.js';
import { Issuers, repeated } from './issuers.js';

const PROCESSES = 8;
const KILLED = 2;

/** What a run came to. */
export interface CrowdVerdict {
  readonly issued: number;
  readonly duplicates: number;
  /** Numbers that were claimed and are neither issued nor a rest nor held by a process that was killed. */
  readonly lost: number;
  /** Segments of processes that were killed. */
  readonly held: number;
}

/** Eight processes issue `total` numbers; some are killed and replaced, and the rest end by SIGTERM. */
export async function runCrowd(kind: Kind, total: number, kills: boolean): Promise<CrowdVerdict> {
  const issuers = await Issuers.on(kind);
  try {
    const each = Math.ceil(total / PROCESSES);
    const tables = (count: number): string[] => Array.from({ length: count }, () => 'crowd');
    let children = await issuers.begin(tables(PROCESSES), each);
    if (kills) {
      await delay(500);
      await Promise.all(children.slice(0, KILLED).map((child) => child.kill('SIGKILL')));
      children = [...children.slice(KILLED), ...(await issuers.begin(tables(KILLED), each))];
    }
    await issuers.untilIssued(children);
    await issuers.terminate(children);
    const tag = await issuers.tag('crowd');
    const numbers = issuers.numbers();
    const inRests = tag.rests.reduce((sum, { count }) => sum + count, 0);
    return {
      issued: numbers.length,
      duplicates: repeated(numbers),
      lost: tag.next - 1 - numbers.length - inRests,
      held: tag.held.length,
    };
  } finally {
    await issuers.remove();
  }
}

/** The same processes in tables of their own, where each one starts at 1. */
export async function runStrangers(kind: Kind): Promise<number> {
  const issuers = await Issuers.on(kind);
  try {
    const children = await issuers.begin(['one', 'two'], 5000);
    await issuers.untilIssued(children);
    await issuers.terminate(children);
    return repeated(issuers.numbers());
  } finally {
    await issuers.remove();
  }
}
