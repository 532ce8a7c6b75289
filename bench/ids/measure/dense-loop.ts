import { randomUUID } from 'node:crypto';
import { IdDecoder } from 'nestjs-snowflake/core';
import { memorySegmentStore, Segments } from 'nestjs-snowflake-segments';
import { DEFAULT_LAYOUT, newGenerator } from '../generators.js';
import type { Settings } from '../settings.js';
import { median } from './median.js';

/** What one call costs in a loop that does nothing else and keeps nothing, in ns. */
export interface DenseCost {
  readonly what: string;
  /** Of the quickest slice: what the code costs when nobody else runs. */
  readonly leastNs: number;
  readonly medianNs: number;
}

/** Calls of a slice: short, so that some slices meet no noise. */
const CALLS = 4000;
const BATCH = 1000;
const IDS = 1000;

/**
 * So many short slices first: a loop that V8 optimises while it runs stays in code for that one entry, which allocates
 * what the code of the whole function keeps in registers. Which of the two a slice got was left to chance.
 */
const WARM_UPS = 3000;
const WARM_UP_CALLS = 50;

/** Each makes so many calls. */
type Slices = Record<string, (calls: number) => unknown>;

/** What the others are compared with. */
function slicesOfMachine(): Slices {
  return {
    'Date.now()': (calls) => {
      let nowMs = 0;
      for (let call = 0; call < calls; call++) nowMs = Date.now();
      return nowMs;
    },
    'crypto.randomUUID()': (calls) => {
      let id = '';
      for (let call = 0; call < calls; call++) id = randomUUID();
      return id;
    },
  };
}

function slicesOfGenerator(): Slices {
  const target = new BigUint64Array(BATCH);
  return {
    'nextBigInt()': (calls) => {
      const generator = newGenerator();
      let id = 0n;
      for (let call = 0; call < calls; call++) id = generator.nextBigInt();
      return id;
    },
    'nextId()': (calls) => {
      const generator = newGenerator();
      let id = '';
      for (let call = 0; call < calls; call++) id = generator.nextId();
      return id;
    },
    'fillBigInts(1,000), per ID': (calls) => {
      const generator = newGenerator();
      for (let call = 0; call < calls; call += BATCH) generator.fillBigInts(target);
      return target[0];
    },
    'nextBigInts(1,000), per ID': (calls) => {
      const generator = newGenerator();
      let last: unknown;
      for (let call = 0; call < calls; call += BATCH) last = generator.nextBigInts(BATCH);
      return last;
    },
  };
}

function slicesOfDecoder(): Slices {
  const decoder = new IdDecoder(DEFAULT_LAYOUT);
  const ids = Array.from(newGenerator().nextBigInts(IDS));
  const texts = newGenerator().nextIds(IDS);
  // Both kinds are seen before either is optimised: the first would be optimised alone, and again after the second.
  for (let at = 0; at < IDS; at++) {
    decoder.decode(ids[at] ?? 0n);
    decoder.decode(texts[at] ?? '');
  }
  return {
    'decode(bigint)': (calls) => {
      let sum = 0;
      for (let call = 0; call < calls; call++) {
        const decoded = decoder.decode(ids[call % IDS] ?? 0n);
        sum += decoded.tick + decoded.workerId + decoded.sequence;
      }
      return sum;
    },
    'decode(string)': (calls) => {
      let sum = 0;
      for (let call = 0; call < calls; call++) {
        const decoded = decoder.decode(texts[call % IDS] ?? '');
        sum += decoded.tick + decoded.workerId + decoded.sequence;
      }
      return sum;
    },
  };
}

/** More than all slices take. Above 2^31, where V8 allocates a number that lies in a plain field. */
const SEGMENT = 500_000_000;
const START_AFTER = 2 ** 40;

async function slicesOfSegments(): Promise<Slices> {
  const tags = [{ tag: 'bench', startAfter: START_AFTER }];
  const segments = new Segments({
    store: memorySegmentStore(),
    tags,
    step: SEGMENT,
    maxStep: SEGMENT,
    maxHeld: 2 * SEGMENT,
  });
  await segments.start();
  const source = segments.source('bench');
  return {
    'segment next()': (calls) => {
      let number = 0;
      for (let call = 0; call < calls; call++) number = source.next();
      return number;
    },
    'segment nextString()': (calls) => {
      let text = '';
      for (let call = 0; call < calls; call++) text = source.nextString();
      return text;
    },
  };
}

/** All of them in turn, so that a noise of the machine does not hit one alone. */
export async function measureDenseLoops({ denseSlices }: Settings): Promise<DenseCost[]> {
  const slices = {
    ...slicesOfMachine(),
    ...slicesOfGenerator(),
    ...slicesOfDecoder(),
    ...(await slicesOfSegments()),
  };
  const all = Object.entries(slices).map(([what, run]) => ({ what, run, times: [] as number[] }));
  let seen: unknown;
  for (let warmUp = 0; warmUp < WARM_UPS; warmUp++) {
    for (const { run } of all) seen = run(WARM_UP_CALLS);
  }
  for (let slice = 0; slice < denseSlices; slice++) {
    for (const { run, times } of all) {
      const startMs = performance.now();
      seen = run(CALLS);
      times.push(((performance.now() - startMs) * 1e6) / CALLS);
    }
  }
  if (seen === undefined) throw new Error('the last slice made nothing');
  return all.map(({ what, times }) => ({ what, leastNs: Math.min(...times), medianNs: median(times) }));
}
