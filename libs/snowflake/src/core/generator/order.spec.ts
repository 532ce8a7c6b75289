import fc from 'fast-check';
import { VirtualClock } from '../../store-testing/virtual-clock.js';
import { BitLayout } from '../layout/bit-layout.js';
import type { GeneratorOptions, ClockRollbackPolicy } from './generator-options.js';
import { IdGenerator } from './generator.js';
import { SnowflakeError } from '../errors/snowflake-error.js';

const START = Date.parse('2026-01-01T00:00:00Z');
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
  it.each(ASCENDING)('makes strictly ascending IDs, whatever the clock does, under %s', (onClockRollback) => {
    fc.assert(
      fc.property(choices, walks, (options, walk) => descentsIn({ ...options, onClockRollback }, walk) === 0),
      { numRuns: 300 },
    );
  });

  it("makes IDs that don't ascend under reuse, which goes back to ticks that the clock repeats (control)", () => {
    const walk = [
      [20, 3],
      [20, 3],
      [-20, 3],
    ] as const;
    expect(descentsIn({ onClockRollback: 'reuse' }, walk)).toBeGreaterThan(0);
  });
});
