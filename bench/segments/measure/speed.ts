import { randomUUID } from 'node:crypto';
import { ownLoop } from '../../ids/measure/own-loop.js';
import { openFilledSource } from '../sources.js';
import type { Settings } from '../settings.js';

/** Nanoseconds per number for one way to get numbers. */
export interface Speed {
  readonly what: string;
  readonly ns: number;
}

interface Contestant {
  readonly what: string;
  /** Makes this number of calls. */
  readonly loop: (calls: number) => void;
  readonly stop?: () => Promise<void>;
}

/** V8 keeps smaller numbers in a tagged word, and allocates each larger one that a caller keeps. */
const BEYOND_2_31 = 10 ** 12;
/** Calls whose results are kept at a time. */
const KEPT = 1000;

/**
 * Measures all of a stage in turn, round after round, in batches: the clock is read twice for thousands of calls. The
 * quickest round counts, because a shared machine is at half its speed for seconds.
 *
 * Two stages, because V8 changes how it keeps the numbers of all sources when it sees the first one beyond 2^31.
 */
export async function measureSpeeds(settings: Settings): Promise<Speed[]> {
  const quick = { ...settings, rounds: settings.quickRounds };
  const small = await measureStage(await smallNumbers(quick), quick);
  return [...small, ...(await measureStage(await largeNumbers(settings), settings))];
}

function smallNumbers(settings: Settings): Promise<Contestant[]> {
  return Promise.all([other('an empty function', () => undefined), ours('next()', settings, 0)]);
}

function largeNumbers(settings: Settings): Promise<Contestant[]> {
  return Promise.all([
    ours('next() beyond 2^31', settings, BEYOND_2_31),
    other('crypto.randomUUID()', () => randomUUID()),
  ]);
}

async function other(what: string, call: () => unknown): Promise<Contestant> {
  return { what, loop: ownLoop(call, new Array<unknown>(KEPT)) };
}

async function ours(
  what: string,
  { rounds, callsPerRound }: Settings,
  startAfter: number,
): Promise<Contestant> {
  const { source, stop } = await openFilledSource((rounds + 1) * callsPerRound, startAfter);
  return { what, loop: ownLoop(() => source.next(), new Array<unknown>(KEPT)), stop };
}

async function measureStage(
  contestants: readonly Contestant[],
  { rounds, callsPerRound }: Settings,
): Promise<Speed[]> {
  const measured = contestants.map(({ what, loop }) => ({ what, loop, ns: Infinity }));
  for (let round = 0; round <= rounds; round++) {
    for (const each of measured) {
      const ns = timeOf(each.loop, callsPerRound);
      // The first round warms up.
      if (round > 0) each.ns = Math.min(ns, each.ns);
    }
  }
  for (const { stop } of contestants) await stop?.();
  return measured.map(({ what, ns }) => ({ what, ns }));
}

/** ns per call. */
function timeOf(loop: (calls: number) => void, calls: number): number {
  const fromMs = performance.now();
  for (let left = calls; left > 0; left -= KEPT) loop(Math.min(left, KEPT));
  return ((performance.now() - fromMs) * 1e6) / calls;
}
