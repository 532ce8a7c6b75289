import { jest } from '@jest/globals';
import fc from 'fast-check';
import { VirtualClock } from '../../store-testing/virtual-clock.js';
import { BitLayout } from '../layout/bit-layout.js';
import { ClockRollbackError } from '../errors/issuing-errors.js';
import type { GeneratorOptions, ClockRollbackPolicy } from './generator-options.js';
import { IdGenerator } from './generator.js';
import { SnowflakeError } from '../errors/snowflake-error.js';
import { runs } from '../../../../../test/support/runs.js';

const START = Date.parse('2026-01-01T00:00:00Z');
const RIGHT = {
  workerId: 1,
  fromMs: START - 60_000,
  untilMs: START + 60_000,
  clockTimeUntilMs: START + 50_000,
};
const POLICIES: readonly ClockRollbackPolicy[] = ['switch', 'hold', 'reuse', 'wait', 'throw'];
type Walk = readonly (readonly [stepMs: number, calls: number])[];

function world(options: GeneratorOptions) {
  const clock = new VirtualClock(START);
  const generator = new IdGenerator(new BitLayout({ sequenceBits: 4 }), clock, options);
  const told: number[] = [];
  generator.subscribeToRollbacks((backwardsMs) => void told.push(backwardsMs));
  generator.adopt(RIGHT);
  return { clock, generator, told };
}

describe('LogicalClock', () => {
  /** What a caller sees: each ID or error with the clock's time, and each reported rollback. */
  function courseOf(options: GeneratorOptions, walk: Walk, before: (generator: IdGenerator) => void) {
    const { clock, generator, told } = world(options);
    const seen: unknown[] = [];
    for (const [stepMs, calls] of walk) {
      clock.step(stepMs);
      for (let call = 0; call < calls; call++) {
        before(generator);
        try {
          seen.push(generator.nextBigInt());
        } catch (error) {
          if (!(error instanceof SnowflakeError)) throw error;
          seen.push(error.message);
        }
        seen.push(clock.now());
      }
    }
    return [...seen, ...told];
  }

  it.each(POLICIES)(
    'answers the same at a time it has seen as if it had not, under %s',
    (onClockRollback) => {
      const steps = fc.oneof(fc.integer({ min: -8, max: 8 }), fc.constantFrom(0, -3, 3, -300, 300));
      const walks = fc.array(fc.tuple(steps, fc.integer({ min: 1, max: 24 })), { maxLength: 60 });
      const choices = fc.record({
        onSequenceExhausted: fc.constantFrom('borrow', 'wait', 'throw'),
        maxDriftMs: fc.constantFrom(1, 20),
      });
      fc.assert(
        fc.property(choices, walks, (options, walk) => {
          const remembering = courseOf({ ...options, onClockRollback }, walk, () => undefined);
          // Extending the window, even to the same end, invalidates the cached answer.
          const afresh = courseOf({ ...options, onClockRollback }, walk, (generator) =>
            generator.extend(RIGHT.untilMs, RIGHT.clockTimeUntilMs),
          );
          expect(remembering).toEqual(afresh);
        }),
        { numRuns: runs(300) },
      );
    },
  );

  it('reports every time that the clock goes back', () => {
    const { clock, generator, told } = world({ onClockRollback: 'throw' });
    for (let again = 0; again < 2; again++) {
      generator.nextBigInts(2);
      clock.step(-7);
      expect(() => generator.nextBigInt()).toThrow(ClockRollbackError);
      clock.step(7);
    }
    expect(told).toEqual([7, 7]);
  });

  it('chooses the tick again for a time that it waited for', () => {
    const { clock, generator } = world({ onClockRollback: 'wait' });
    generator.nextBigInts(2);
    for (let again = 0; again < 3; again++) {
      clock.step(-4);
      generator.nextBigInt();
      expect(clock.now()).toBe(START);
    }
  });

  it('chooses again after a correction, for the same reading', () => {
    const { generator } = world({});
    generator.nextBigInts(2);
    generator.correctClock(1000);
    generator.nextBigInt();
    expect(generator.lastUsedMs).toBe(START + 1000);
  });

  it('chooses again after the window is extended, for the same reading', () => {
    const { generator } = world({});
    generator.adopt({ ...RIGHT, clockTimeUntilMs: START - 1000 });
    generator.nextBigInts(2);
    expect(generator.lastUsedMs).toBe(START - 1000);
    generator.extend(RIGHT.untilMs, RIGHT.clockTimeUntilMs);
    generator.nextBigInt();
    expect(generator.lastUsedMs).toBe(START);
  });

  it('chooses again if the rollback listener corrects the clock', () => {
    const { clock, generator } = world({ onClockRollback: 'hold' });
    generator.subscribeToRollbacks(() => generator.correctClock(5000));
    generator.nextBigInt();
    clock.step(-20);
    generator.nextBigInts(2);
    expect(generator.lastUsedMs).toBe(START + 4980);
  });

  it('reports a clock that goes back to the same time twice', () => {
    const { clock, generator, told } = world({ onClockRollback: 'hold' });
    generator.nextBigInt();
    generator.subscribeToRollbacks(() => {
      if (told.length > 1) return;
      clock.step(100);
      generator.nextBigInt();
    });
    clock.step(-20);
    generator.nextBigInt();
    clock.step(-100);
    generator.nextBigInt();
    expect(told).toEqual([20, 100]);
  });

  it('uses up no part of the window if the clock returns NaN', () => {
    const { clock, generator } = world({});
    generator.nextBigInt();
    const now = jest.spyOn(clock, 'now').mockReturnValue(Number.NaN);
    generator.nextBigInts(40);
    now.mockRestore();
    expect(generator.lastUsedMs).toBeLessThan(START + 20);
    generator.nextBigInt();
    clock.step(50);
    generator.nextBigInt();
    expect(generator.lastUsedMs).toBe(START + 50);
  });
});
