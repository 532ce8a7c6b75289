import fc from 'fast-check';
import { HAS_ALL_RUNS, runs } from '../../../../../test/support/runs.js';
import { VirtualClock } from '../../stores/port/virtual-clock.js';
import { InvalidOptionError } from '../errors/input-errors.js';
import { StoppedError } from '../errors/issuing-errors.js';
import { SnowflakeError } from '../errors/snowflake-error.js';
import { IdDecoder } from '../ids/decoder.js';
import { wordsOf, type IdWords } from '../ids/id-words.js';
import { BitLayout } from '../layout/bit-layout.js';
import type { ClockRollbackPolicy, GeneratorOptions } from './generator-options.js';
import { IdGenerator } from './generator.js';
import type { SequenceStartPolicy } from './sequence-start.js';

const START = Date.parse('2026-01-01T00:00:00Z');
const TICKS = HAS_ALL_RUNS ? 40_000 : 10_000;

/** A reproducible random source: xorshift32 (Marsaglia, 2003). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

function world(sequenceStart: SequenceStartPolicy, sequenceBits = 12) {
  const clock = new VirtualClock(START);
  const layout = new BitLayout({ sequenceBits });
  const generator = new IdGenerator(layout, clock, { sequenceStart }, randomNumbers(20_261_121));
  const untilMs = START + 3_600_000;
  generator.adopt({ workerId: 5, fromMs: START - 1, untilMs, clockTimeUntilMs: untilMs });
  return { clock, layout, generator };
}

const sparse = new Map<SequenceStartPolicy, bigint[]>();

/** Generates one ID per tick. */
function sparseIds(sequenceStart: SequenceStartPolicy): bigint[] {
  const known = sparse.get(sequenceStart);
  if (known) return known;
  const { clock, generator } = world(sequenceStart);
  const ids = Array.from({ length: TICKS }, () => {
    clock.step(1);
    return generator.nextBigInt();
  });
  sparse.set(sequenceStart, ids);
  return ids;
}

/**
 * Returns how unevenly `id mod shards` is distributed, as a standard score: chi-square, transformed to a normal variate
 * (Wilson and Hilferty, 1931). By chance, a score exceeds 4.5 once in 300,000 tries.
 */
function unevenness(ids: readonly IdWords[], shards: number): number {
  const counts = new Float64Array(shards);
  const word = 2 ** 32 % shards;
  let lastHigh = 0;
  let ofHigh = 0;
  for (const { high, low } of ids) {
    // The high word seldom changes, and the rest is fast in 32-bit integers.
    if (high !== lastHigh) [lastHigh, ofHigh] = [high, (high % shards) * word];
    counts[(ofHigh + ((low >>> 0) % shards)) % shards]! += 1;
  }
  const expected = ids.length / shards;
  const chiSquare = counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  const spread = 2 / (9 * (shards - 1));
  return (Math.cbrt(chiSquare / (shards - 1)) - (1 - spread)) / Math.sqrt(spread);
}

const SHARDS = Array.from({ length: 1023 }, (_, at) => at + 2).filter(
  (shards) => HAS_ALL_RUNS || shards <= 32 || shards % 64 === 0 || shards === 96,
);

describe('where the sequence begins', () => {
  it.each(['random', 'rolling'] as const)(
    'distributes sparse IDs evenly modulo 2 to 1024, under %s',
    (policy) => {
      const ids = sparseIds(policy).map(wordsOf);
      const uneven = SHARDS.filter((shards) => unevenness(ids, shards) > 4.5);
      expect(uneven).toEqual([]);
    },
  );

  it('distributes sparse IDs unevenly modulo powers of two, under zero (control)', () => {
    const ids = sparseIds('zero').map(wordsOf);
    const uneven = SHARDS.filter((shards) => unevenness(ids, shards) > 4.5);
    expect(uneven).toEqual(expect.arrayContaining([2, 4, 64, 96, 1024]));
  });

  it.each(['random', 'rolling'] as const)(
    'starts in the lowest quarter of the sequence, under %s',
    (policy) => {
      const starts = sparseIds(policy).map((id) => Number(id & 4095n));
      expect([Math.min(...starts), Math.max(...starts)]).toEqual([0, 1023]);
    },
  );

  it.each(['random', 'rolling'] as const)('uses every sequence number under load, with %s', (policy) => {
    const { layout, generator } = world(policy, 6);
    const ids = generator.nextBigInts(64 * 100);
    expect(new Set(ids).size).toBe(64 * 100);
    const sequences = ids.slice(64).map((id) => id % BigInt(layout.idsPerTick));
    expect(new Set(sequences).size).toBe(64);
  });

  it.each([1, 2, 3])('works with a sequence of %i bits', (sequenceBits) => {
    const { clock, generator } = world('random', sequenceBits);
    const ids = Array.from({ length: 100 }, () => {
      clock.step(1);
      return generator.nextBigInt();
    });
    expect(new Set(ids).size).toBe(100);
  });

  it.each([1, 4, -0.5, Number.NaN, undefined])('refuses %o from a random source', (drawn) => {
    const clock = new VirtualClock(START);
    const source = (): number => drawn as number;
    const generator = new IdGenerator(new BitLayout(), clock, { sequenceStart: 'random' }, source);
    generator.adopt({
      workerId: 5,
      fromMs: START - 9,
      untilMs: START + 1000,
      clockTimeUntilMs: START + 1000,
    });
    expect(() => generator.nextId()).toThrow(
      expect.objectContaining({ name: 'InvalidOptionError', option: 'random' }),
    );
  });

  it('loses and repeats no ID when the random source throws', () => {
    let fails = false;
    const clock = new VirtualClock(START);
    const layout = new BitLayout({ sequenceBits: 4 });
    const source = (): number => {
      if (fails) throw new Error('out of entropy');
      return 0;
    };
    const generator = new IdGenerator(
      layout,
      clock,
      { sequenceStart: 'random', onClockRollback: 'reuse' },
      source,
    );
    generator.adopt({
      workerId: 5,
      fromMs: START - 1,
      untilMs: START + 1000,
      clockTimeUntilMs: START + 1000,
    });
    const ids = [...generator.nextBigInts(3)];
    clock.step(50);
    fails = true;
    expect(() => generator.nextId()).toThrow('out of entropy');
    fails = false;
    ids.push(...generator.nextBigInts(4));
    clock.step(-50);
    ids.push(...generator.nextBigInts(8));
    expect(new Set(ids).size).toBe(ids.length);
  });

  /** Returns a generator whose random source acts on it once. */
  function meddled(meddle: (generator: IdGenerator) => void) {
    const clock = new VirtualClock(START);
    let meddles = true;
    const generator: IdGenerator = new IdGenerator(
      new BitLayout({ sequenceBits: 4 }),
      clock,
      { sequenceStart: 'random' },
      () => {
        const first = meddles;
        meddles = false;
        if (first) meddle(generator);
        return 0;
      },
    );
    const window = { fromMs: START - 9, untilMs: START + 1000, clockTimeUntilMs: START + 1000 };
    generator.adopt({ workerId: 5, ...window });
    return { generator, window };
  }

  it('repeats no ID when the random source generates IDs itself', () => {
    const ids: bigint[] = [];
    const { generator } = meddled((self) => ids.push(...self.nextBigInts(3)));
    ids.push(...generator.nextBigInts(40));
    expect(new Set(ids).size).toBe(43);
  });

  it('generates no more IDs when the random source stops the generator', () => {
    const { generator } = meddled((self) => self.stop());
    expect(() => generator.nextId()).toThrow(StoppedError);
  });

  it('generates IDs of the right that the random source adopts', () => {
    const { generator, window } = meddled((self) =>
      self.adopt({ ...window, workerId: 6, fromMs: START + 500 }),
    );
    const { workerId, timestampMs } = new IdDecoder(generator.layout).decode(generator.nextId());
    expect([workerId, timestampMs]).toEqual([6, START + 501]);
  });

  it('requires a random source under random', () => {
    expect(
      () => new IdGenerator(new BitLayout(), new VirtualClock(START), { sequenceStart: 'random' }),
    ).toThrow(InvalidOptionError);
  });
});

const DAY_MS = 86_400_000;
const ASCENDING: readonly ClockRollbackPolicy[] = ['switch', 'hold', 'wait', 'throw'];

/** Clock steps of a few ms and of an hour, in both directions; bursts that use up several ticks. */
const steps = fc.oneof(
  fc.integer({ min: -8, max: 10 }),
  fc.integer({ min: -300, max: 300 }),
  fc.constantFrom(0, 1, -3_600_000, 3_600_000),
);
const walks = fc.array(fc.tuple(steps, fc.integer({ min: 1, max: 60 })), { minLength: 1, maxLength: 80 });
const choices = fc.record({
  onSequenceExhausted: fc.constantFrom('borrow', 'wait', 'throw'),
  sequenceStart: fc.constantFrom('zero', 'random', 'rolling'),
  maxDriftMs: fc.constantFrom(1, 20, 1000),
});

/** Counts the IDs of one worker ID that are not greater than the previous one. */
function descentsIn(options: GeneratorOptions, walk: readonly (readonly [number, number])[]): number {
  const clock = new VirtualClock(START);
  const generator = new IdGenerator(new BitLayout({ sequenceBits: 4 }), clock, options, () => 0.5);
  const untilMs = START + DAY_MS;
  generator.adopt({ workerId: 1, fromMs: START - DAY_MS, untilMs, clockTimeUntilMs: untilMs });
  let previous = -1n;
  let descents = 0;
  const take = (id: bigint): void => {
    if (id <= previous) descents++;
    previous = id;
  };
  for (const [stepMs, count] of walk) {
    clock.step(stepMs);
    try {
      for (let made = 0; made < count; made++) take(generator.nextBigInt());
      take(BigInt(generator.nextId()));
      generator.nextBigInts(count % 7).forEach(take);
    } catch (error) {
      if (!(error instanceof SnowflakeError && error.retryable)) throw error;
    }
  }
  return descents;
}

describe('the IDs of one worker ID [promise: order]', () => {
  it.each(ASCENDING)(
    'generates strictly ascending IDs, whatever the clock does, under %s',
    (onClockRollback) => {
      fc.assert(
        fc.property(
          choices,
          walks,
          (options, walk) => descentsIn({ ...options, onClockRollback }, walk) === 0,
        ),
        { numRuns: runs(1000) },
      );
    },
  );

  it("generates IDs that don't ascend under reuse, which goes back to ticks that the clock repeats (control)", () => {
    const walk = [
      [20, 3],
      [20, 3],
      [-20, 3],
    ] as const;
    expect(descentsIn({ onClockRollback: 'reuse' }, walk)).toBeGreaterThan(0);
  });
});
