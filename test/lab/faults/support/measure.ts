import { BitLayout, IdDecoder } from 'nestjs-snowflake/core';
import { duplicatesIn, firstDescent } from '../../../lease/support/id-checks.js';
import { type IdFrame, readFrames } from './id-frames.js';
import { idsFile } from './issuer-job.js';
import type { Issuer } from './issuer.js';

/** An error that users saw. */
export interface ErrorSeen {
  readonly code: string;
  /** How many series of this error there were. */
  readonly times: number;
  /** The longest stretch in which one holder got nothing else. */
  readonly longestMs: number;
}

/** The figures of a scenario, from the files of its issuers. */
export interface Measured {
  readonly ids: number;
  readonly processes: number;
  readonly duplicates: number;
  /** The first of them in decoded form, for people. */
  readonly firstDuplicate?: string;
  /**
   * The largest difference between the timestamp of an ID and the true time at which it was made, in milliseconds;
   * negative when the timestamp was behind.
   */
  readonly worstStampErrorMs: number;
  readonly errors: readonly ErrorSeen[];
  /** Descriptions of IDs of one holder and worker ID that do not ascend. */
  readonly disorder: readonly string[];
}

/** Reads everything that the issuers of a scenario have written. */
export function measure(issuers: readonly Issuer[]): Measured {
  const decoder = new IdDecoder(new BitLayout(issuers[0]?.job.layout));
  const holders = issuers.flatMap(({ name, job }) =>
    Array.from({ length: job.holders }, (_, holder) => ({
      name: `${name}, holder ${holder}`,
      frames: readFrames(idsFile(job, holder)),
    })),
  );
  const frames = holders.flatMap((holder) => holder.frames);
  const duplicates = duplicatesIn(frames.map(({ ids }) => ids));
  const [first] = duplicates;
  return {
    ids: frames.reduce((sum, { ids }) => sum + ids.length, 0),
    processes: issuers.length,
    duplicates: duplicates.length,
    firstDuplicate: first === undefined ? undefined : JSON.stringify(decoder.decode(first)),
    worstStampErrorMs: worstStampErrorMs(frames, decoder),
    errors: errorsSeen(issuers),
    disorder: holders.flatMap((holder) => disorderIn(holder.name, holder.frames, decoder)),
  };
}

/** Checks only the first and the last ID of a frame: IDs ascend, and their time is the most significant field. */
export function worstStampErrorMs(frames: readonly IdFrame[], decoder: IdDecoder): number {
  let worst = 0;
  for (const { beforeMs, afterMs, ids } of frames) {
    for (const id of [ids[0]!, ids[ids.length - 1]!]) {
      const { timestampMs } = decoder.decode(id);
      // A timestamp is a whole number of milliseconds: the tick that was going on.
      const error = Math.min(0, timestampMs + 1 - beforeMs) + Math.max(0, timestampMs - afterMs);
      if (Math.abs(error) > Math.abs(worst)) worst = error;
    }
  }
  return Math.round(worst);
}

/** IDs that one holder generated under one worker ID ascend, in a frame and from frame to frame. */
export function disorderIn(name: string, frames: readonly IdFrame[], decoder: IdDecoder): string[] {
  const lastOf = new Map<number, bigint>();
  return frames.flatMap(({ ids }, index) => {
    const [first, last] = [ids[0]!, ids[ids.length - 1]!];
    const { workerId } = decoder.decode(first);
    const before = lastOf.get(workerId) ?? -1n;
    lastOf.set(workerId, last);
    const isAscending = first > before && firstDescent(ids) === -1;
    return isAscending ? [] : [`${name}: frame ${index} of worker ID ${workerId} does not ascend`];
  });
}

function errorsSeen(issuers: readonly Issuer[]): ErrorSeen[] {
  const seen = new Map<string, number[]>();
  for (const issuer of issuers) {
    for (const { code, ms } of stretches(issuer)) seen.set(code, [...(seen.get(code) ?? []), ms]);
  }
  return [...seen].map(([code, durations]) => ({
    code,
    times: durations.length,
    longestMs: Math.round(Math.max(...durations)),
  }));
}

/** Each error with its duration. One that had not ended when its process did lasted until then. */
function stretches({ entries, endedAtMs }: Issuer): { code: string; ms: number }[] {
  return entries.flatMap((entry, index) => {
    const mine = ({ holder }: { holder: number }): boolean => holder === entry.holder;
    if (entry.type === 'refused') {
      const began = entries.find((other) => other.type === 'starting' && mine(other));
      return [{ code: entry.code, ms: entry.atMs - (began?.atMs ?? entry.atMs) }];
    }
    if (entry.type !== 'failed') return [];
    const ended = entries.slice(index).find((other) => other.type === 'resumed' && mine(other));
    return [{ code: entry.code, ms: (ended?.atMs ?? endedAtMs ?? entry.atMs) - entry.atMs }];
  });
}
