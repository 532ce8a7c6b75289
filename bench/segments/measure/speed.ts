import { randomUUID } from 'node:crypto';
import { nanoid } from 'nanoid';
import { newGenerator } from '../../ids/generators.js';
import { openFilledSource } from '../sources.js';
import type { Settings } from '../settings.js';

/** ns per number of one way to get it. */
export interface Speed {
  readonly what: string;
  readonly ns: number;
}

interface Contestant {
  readonly what: string;
  readonly call: () => unknown;
  /** Numbers that one call makes. */
  readonly perCall: number;
  readonly stop?: () => Promise<void>;
}

/** V8 keeps smaller numbers in a tagged word, and would have to allocate larger ones. */
const BEYOND_2_31 = 10 ** 12;
const BATCH = 1000;

async function ours(
  what: string,
  callOf: (source: Awaited<ReturnType<typeof openFilledSource>>['source']) => () => unknown,
  numbers: number,
  { startAfter = 0, perCall = 1 } = {},
): Promise<Contestant> {
  const { source, stop } = await openFilledSource(numbers, startAfter);
  return { what, call: callOf(source), perCall, stop };
}

async function contestants(calls: number): Promise<Contestant[]> {
  const generator = newGenerator();
  const counter = { value: 0 };
  return [
    { what: 'an empty function', call: () => undefined, perCall: 1 },
    { what: 'a counter in an object', call: () => ++counter.value, perCall: 1 },
    await ours('next()', (source) => () => source.next(), calls),
    await ours('next() beyond 2^31', (source) => () => source.next(), calls, { startAfter: BEYOND_2_31 }),
    await ours('nextMany(1,000)', (source) => () => source.nextMany(BATCH), calls, { perCall: BATCH }),
    await ours('nextBigInt()', (source) => () => source.nextBigInt(), calls, { startAfter: BEYOND_2_31 }),
    await ours('nextString()', (source) => () => source.nextString(), calls, { startAfter: BEYOND_2_31 }),
    { what: 'nestjs-snowflake, nextBigInt()', call: () => generator.nextBigInt(), perCall: 1 },
    { what: 'nestjs-snowflake, nextId()', call: () => generator.nextId(), perCall: 1 },
    { what: 'crypto.randomUUID()', call: () => randomUUID(), perCall: 1 },
    { what: 'nanoid()', call: () => nanoid(), perCall: 1 },
  ];
}

/**
 * Measures all in turn, round after round, in batches: the clock is read twice for thousands of calls. The quickest round
 * counts, because a shared machine is at half its speed for seconds.
 */
export async function measureSpeeds({ rounds, callsPerRound }: Settings): Promise<Speed[]> {
  const least = new Map<string, number>();
  for (let round = 0; round <= rounds; round++) {
    for (const { what, call, perCall, stop } of await contestants(callsPerRound)) {
      const ns = timeOf(call, Math.floor(callsPerRound / perCall)) / perCall;
      // The first round warms up.
      if (round > 0) least.set(what, Math.min(ns, least.get(what) ?? Infinity));
      await stop?.();
    }
  }
  return [...least].map(([what, ns]) => ({ what, ns }));
}

let compiled = 0;

/** ns per call. A loop of its own for each, as callers have: V8 would inline nothing into a loop that all of them share. */
function timeOf(call: () => unknown, calls: number): number {
  const body = `/* ${++compiled} */ let last; for (let at = 0; at < calls; at++) last = call(); return last;`;
  const loop = new Function('call', 'calls', body) as (call: () => unknown, calls: number) => unknown;
  loop(call, 0);
  const fromMs = performance.now();
  loop(call, calls);
  return ((performance.now() - fromMs) * 1e6) / calls;
}
