import { jest } from '@jest/globals';
import fc from 'fast-check';
import { VirtualClock } from '../testing/virtual-clock.js';
import {
  BitLayout,
  type DecodedId,
  IdDecoder,
  IdGenerator,
  type ClockRollbackPolicy,
  SnowflakeError,
  StoppedError,
} from './index.js';

const START = Date.parse('2026-01-01T00:00:00Z');
const HOUR_MS = 3_600_000;
const POLICIES: readonly ClockRollbackPolicy[] = ['switch', 'hold', 'reuse', 'wait', 'throw'];
const IDS_PER_TICK = 16;
const WINDOW = { fromMs: START - HOUR_MS, untilMs: START + HOUR_MS, clockTimeUntilMs: START + HOUR_MS };

function world(onClockRollback: ClockRollbackPolicy) {
  const clock = new VirtualClock(START);
  const layout = new BitLayout({ sequenceBits: Math.log2(IDS_PER_TICK) });
  const generator = new IdGenerator(layout, clock, { onClockRollback });
  const decoder = new IdDecoder(layout);
  const made: bigint[] = [];
  generator.adopt({ workerId: 1, ...WINDOW });
  const make = (count: number): void => {
    try {
      for (let at = 0; at < count; at += 1) made.push(generator.nextBigInt());
      made.push(...generator.nextIds(count >> 5).map(BigInt));
    } catch (error) {
      if (!(error instanceof SnowflakeError && error.retryable)) throw error;
    }
  };
  const decoded = (): DecodedId[] => made.map((id) => decoder.decode(id));
  return { clock, generator, made, make, decoded };
}

/**
 * Makes some IDs, steps the clock back, and goes on, while whoever is told of the step makes some as well.
 *
 * @returns how many IDs were made twice or belong to another worker ID
 */
function faultsOf(
  onClockRollback: ClockRollbackPolicy,
  before: number,
  within: number,
  after: number,
): number {
  const { clock, generator, made, make, decoded } = world(onClockRollback);
  generator.time.onRollback = () => make(within);
  for (let round = 0; round < 3; round += 1) {
    make(before);
    clock.step(-20);
    make(after);
    clock.step(7);
  }
  const repeats = made.length - new Set(made).size;
  return repeats + decoded().filter(({ workerId }) => workerId !== 1).length;
}

describe('whoever is told of a clock rollback, in the middle of a call,', () => {
  const count = fc.integer({ min: 1, max: 4 * IDS_PER_TICK });

  it.each(POLICIES)('may make IDs (%s)', (onClockRollback) => {
    fc.assert(
      fc.property(
        count,
        count,
        count,
        (before, within, after) => faultsOf(onClockRollback, before, within, after) === 0,
      ),
      { numRuns: 300, examples: [[IDS_PER_TICK - 1, 1, 4 * IDS_PER_TICK]] },
    );
  });

  it('may make IDs (control: a refill that does not look at its credit again makes those of another worker ID)', () => {
    interface Inside {
      readonly time: IdGenerator['time'];
      readonly idsPerTick: number;
      credit: number;
      remaining: number;
      openTick(tick: number): void;
      refill(wanted: number, clockMs: number): void;
    }
    const careless = jest
      .spyOn(IdGenerator.prototype as unknown as Inside, 'refill')
      .mockImplementation(function once(this: Inside, wanted, clockMs) {
        const tick = this.time.next(this.idsPerTick - this.remaining, clockMs);
        if (tick !== this.time.last) this.openTick(tick);
        this.credit = Math.min(wanted, this.remaining);
        this.remaining -= this.credit;
      });
    try {
      expect(faultsOf('hold', IDS_PER_TICK - 1, 1, 4 * IDS_PER_TICK)).toBeGreaterThan(0);
    } finally {
      careless.mockRestore();
    }
  });

  it.each(['wait', 'throw'] as const)(
    'is told once when it asks for an ID and is refused (%s)',
    (onClockRollback) => {
      const { clock, generator, make } = world(onClockRollback);
      let told = 0;
      generator.time.onRollback = () => {
        told += 1;
        make(1);
      };
      make(1);
      clock.step(-20);
      make(1);
      expect(told).toBe(1);
    },
  );

  it.each(POLICIES)('may go over to another right, which the call then uses (%s)', (onClockRollback) => {
    const { clock, generator, made, make, decoded } = world(onClockRollback);
    generator.time.onRollback = () => generator.adopt({ workerId: 2, ...WINDOW });
    make(IDS_PER_TICK - 1);
    const before = made.length;
    clock.step(-20);
    make(1);
    make(2 * IDS_PER_TICK);
    const workerIds = decoded().map(({ workerId }) => workerId);
    expect(new Set(workerIds.slice(0, before))).toEqual(new Set([1]));
    expect(new Set(workerIds.slice(before))).toEqual(new Set([2]));
  });

  it('may stop the generator, which then makes no ID any more', () => {
    const { clock, generator, make } = world('hold');
    generator.time.onRollback = () => generator.stop();
    make(3);
    clock.step(-20);
    expect(() => generator.nextId()).toThrow(StoppedError);
    expect(() => generator.nextBigInt()).toThrow(StoppedError);
  });
});
