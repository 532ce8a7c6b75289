import { randomUUID } from 'node:crypto';
import { nanoid } from 'nanoid';
import { newGenerator } from '../../ids/generators.js';
import { ownLoop } from '../../ids/measure/own-loop.js';
import { openFilledSource, type OpenSource } from '../sources.js';
import type { Settings } from '../settings.js';

/** Nanoseconds per number for one way to get numbers. */
export interface Speed {
  readonly what: string;
  readonly ns: number;
}

interface Contestant {
  readonly what: string;
  /** Numbers that one call makes. */
  readonly perCall: number;
  /** Makes this number of calls. */
  readonly loop: (calls: number) => void;
  readonly stop?: () => Promise<void>;
}

/** V8 keeps smaller numbers in a tagged word, and allocates each larger one that a caller keeps. */
const BEYOND_2_31 = 10 ** 12;
const BATCH = 1000;
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
  const counter = { value: 0 };
  return Promise.all([
    other('an empty function', () => undefined),
    other('a counter in an object', () => ++counter.value),
    ours('next()', ({ source }) => source.next(), settings),
    ours('nextMany(1,000)', ({ source }) => source.nextMany(BATCH), settings, { perCall: BATCH }),
  ]);
}

function largeNumbers(settings: Settings): Promise<Contestant[]> {
  const generator = newGenerator();
  const startAfter = BEYOND_2_31;
  return Promise.all([
    ours('next(), another tag beyond 2^31', ({ source }) => source.next(), settings),
    ours('next() beyond 2^31', ({ source }) => source.next(), settings, { startAfter }),
    ours('nextBigInt()', ({ source }) => source.nextBigInt(), settings, { startAfter }),
    ours('nextString()', ({ source }) => source.nextString(), settings, { startAfter }),
    other('nestjs-snowflake, nextBigInt()', () => generator.nextBigInt()),
    other('nestjs-snowflake, nextId()', () => generator.nextId()),
    other('crypto.randomUUID()', () => randomUUID()),
    other('nanoid()', () => nanoid()),
  ]);
}

async function other(what: string, call: () => unknown): Promise<Contestant> {
  return { what, perCall: 1, loop: ownLoop(call, new Array<unknown>(KEPT)) };
}

async function ours(
  what: string,
  call: (opened: OpenSource) => unknown,
  { rounds, callsPerRound }: Settings,
  { startAfter = 0, perCall = 1 } = {},
): Promise<Contestant> {
  const opened = await openFilledSource((rounds + 1) * callsPerRound, startAfter);
  const loop = ownLoop(() => call(opened), new Array<unknown>(KEPT));
  return { what, perCall, loop, stop: opened.stop };
}

async function measureStage(
  contestants: readonly Contestant[],
  { rounds, callsPerRound }: Settings,
): Promise<Speed[]> {
  const measured = contestants.map(({ what, perCall, loop }) => ({ what, perCall, loop, ns: Infinity }));
  for (let round = 0; round <= rounds; round++) {
    for (const each of measured) {
      const ns = timeOf(each.loop, callsPerRound / each.perCall) / each.perCall;
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
