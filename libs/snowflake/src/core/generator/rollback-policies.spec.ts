import { jest } from '@jest/globals';
import fc from 'fast-check';
import { VirtualClock } from '../../store-testing/virtual-clock.js';
import { BitLayout } from '../layout/bit-layout.js';
import { ClockRollbackError } from '../errors/issuing-errors.js';
import type { GeneratorOptions, ClockRollbackPolicy } from './generator-options.js';
import { IdDecoder } from '../ids/decoder.js';
import { IdGenerator } from './generator.js';
import { InvalidOptionError } from '../errors/input-errors.js';
import { SnowflakeError } from '../errors/snowflake-error.js';
import { TickMemory } from './tick-memory.js';

const START = Date.parse('2026-01-01T00:00:00Z');
const DAY_MS = 86_400_000;
const POLICIES: readonly ClockRollbackPolicy[] = ['switch', 'hold', 'reuse', 'wait', 'throw'];

function world(options: GeneratorOptions, sequenceBits = 4, fromMs = START - 1) {
  const clock = new VirtualClock(START);
  const layout = new BitLayout({ sequenceBits });
  const generator = new IdGenerator(layout, clock, options, () => 0.999);
  const decoder = new IdDecoder(layout);
  const told: number[] = [];
  generator.subscribeToRollbacks((backwardsMs) => void told.push(backwardsMs));
  generator.adopt({ workerId: 1, fromMs, untilMs: START + DAY_MS, clockTimeUntilMs: START + DAY_MS });
  return { clock, generator, told, next: () => decoder.decode(generator.nextBigInt()) };
}

describe('throw', () => {
  it('throws after any backward step, reports it once, and continues when the clock has caught up', () => {
    const { clock, generator, told, next } = world({ onClockRollback: 'throw' });
    next();
    clock.step(-1);
    expect(() => generator.nextId()).toThrow(ClockRollbackError);
    expect(() => generator.nextBigInts(3)).toThrow(
      expect.objectContaining({ backwardsMs: 1, policy: 'throw', retryable: true }),
    );
    expect(told).toEqual([1]);
    clock.step(1);
    expect(next()).toMatchObject({ timestampMs: START, sequence: 1 });
    clock.step(-3_600_000);
    expect(() => generator.nextId()).toThrow(/went back by 3600000 ms/);
    expect(told).toEqual([1, 3_600_000]);
  });
});

describe('wait', () => {
  it('blocks until the clock has caught up, for at most twice the step', () => {
    const { clock, told, next } = world({ onClockRollback: 'wait' });
    next();
    clock.step(-5);
    expect(next()).toMatchObject({ timestampMs: START, sequence: 1 });
    expect([clock.now(), told]).toEqual([START, []]);
  });

  it('throws immediately after a larger step', () => {
    const { clock, generator, told, next } = world({ onClockRollback: 'wait' });
    next();
    clock.step(-6);
    expect(() => generator.nextId()).toThrow(ClockRollbackError);
    expect([clock.now(), told]).toEqual([START - 6, [6]]);
  });

  it("throws if the clock hasn't caught up by then", () => {
    const { clock, generator, told, next } = world({ onClockRollback: 'wait' });
    next();
    clock.step(-4);
    clock.blockUntil = () => clock.step(1) === undefined;
    expect(() => generator.nextId()).toThrow(expect.objectContaining({ backwardsMs: 3 }));
    expect(told).toEqual([3]);
  });

  it('refuses a long tolerance under wait, which blocks the event loop', () => {
    expect(() => world({ onClockRollback: 'wait', rollbackToleranceMs: 1001 })).toThrow(InvalidOptionError);
  });
});

describe('reuse', () => {
  it('uses the remaining sequence numbers of the ticks that the clock repeats', () => {
    const { clock, told, next } = world({ onClockRollback: 'reuse' });
    for (let ms = 0; ms < 20; ms += 1) {
      next();
      clock.step(1);
    }
    clock.step(-15);
    expect(next()).toMatchObject({ timestampMs: START + 5, sequence: 1 });
    expect(next()).toMatchObject({ timestampMs: START + 5, sequence: 2 });
    clock.step(1);
    expect(next()).toMatchObject({ timestampMs: START + 6, sequence: 1 });
    expect(told).toEqual([14]);
    clock.step(20);
    expect(next()).toMatchObject({ timestampMs: START + 26, sequence: 0 });
  });

  it('skips full ticks, and continues in logical time after the last one', () => {
    const { clock, generator, next } = world({ onClockRollback: 'reuse' }, 2);
    for (let ms = 0; ms < 10; ms += 1) {
      generator.nextBigInts(ms === 7 ? 3 : 4);
      clock.step(1);
    }
    clock.step(-9);
    expect(next()).toMatchObject({ timestampMs: START + 7, sequence: 3 });
    expect(next()).toMatchObject({ timestampMs: START + 10, sequence: 0 });
  });

  it('remembers 256 ticks, and none from before its window', () => {
    const { clock, generator, next } = world({ onClockRollback: 'reuse' });
    for (let ms = 0; ms < 400; ms += 1) {
      next();
      clock.step(1);
    }
    clock.step(-3_600_000);
    expect(next()).toMatchObject({ timestampMs: START + 144, sequence: 1 });
    const fromMs = START + 500;
    generator.adopt({ workerId: 2, fromMs, untilMs: START + DAY_MS, clockTimeUntilMs: START + DAY_MS });
    expect(next()).toMatchObject({ workerId: 2, timestampMs: fromMs + 1, sequence: 0 });
  });

  it('reports the latest used tick, even while it issues in an earlier one', () => {
    const { clock, generator, next } = world({ onClockRollback: 'reuse' });
    clock.step(200);
    next();
    clock.step(-100);
    expect(next().timestampMs).toBe(START + 100);
    expect(generator.lastUsedMs).toBe(START + 200);
  });
});

describe('each policy [promise: unique]', () => {
  /** Clock steps in both directions, mostly small, some of an hour; a stopped clock; bursts. */
  const steps = fc.oneof(
    fc.integer({ min: -3, max: 10 }),
    fc.integer({ min: -300, max: 300 }),
    fc.constantFrom(0, 1, -3_600_000, 3_600_000, -60_000),
  );
  const walks = fc.array(fc.tuple(steps, fc.integer({ min: 1, max: 60 })), { maxLength: 80 });

  /** @returns the number of repeated IDs */
  function repeatsOf(options: GeneratorOptions, walk: [number, number][]): number {
    const { clock, generator } = world(options, 4, START - 7_200_000);
    const made: bigint[] = [];
    for (const [stepMs, count] of walk) {
      clock.step(stepMs);
      try {
        for (let at = 0; at < count; at += 1) made.push(generator.nextBigInt());
        made.push(...generator.nextBigInts(count % 7));
      } catch (error) {
        if (!(error instanceof SnowflakeError && error.retryable)) throw error;
      }
    }
    return made.length - new Set(made).size;
  }

  it.each(POLICIES)('never repeats an ID, whatever the clock does, under %s', (onClockRollback) => {
    const choices = fc.record({
      onSequenceExhausted: fc.constantFrom('borrow', 'wait', 'throw'),
      sequenceStart: fc.constantFrom('zero', 'random', 'rolling'),
      maxDriftMs: fc.constantFrom(1, 20, 1000),
    });
    fc.assert(
      fc.property(choices, walks, (options, walk) => repeatsOf({ ...options, onClockRollback }, walk) === 0),
      { numRuns: 300 },
    );
  });

  it('repeats IDs if it forgets which sequence numbers are used (control)', () => {
    const note = jest.spyOn(TickMemory.prototype, 'note').mockImplementation(function forgetful(
      this: TickMemory,
      tick,
    ) {
      if (tick > this.highest) this.highest = tick;
    });
    try {
      const walk: [number, number][] = [
        [5, 3],
        [5, 3],
        [5, 3],
        [-10, 3],
      ];
      expect(repeatsOf({ onClockRollback: 'reuse' }, walk)).toBeGreaterThan(0);
    } finally {
      note.mockRestore();
    }
  });
});
