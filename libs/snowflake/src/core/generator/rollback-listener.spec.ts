import { compileFunction } from 'node:vm';
import fc from 'fast-check';
import { VirtualClock } from '../../store-testing/virtual-clock.js';
import { DenseRuns } from './dense-runs.js';
import { generatorSettings, type ClockRollbackPolicy } from './generator-options.js';
import { IdRegister } from './id-register.js';
import { BitLayout, requireLayout } from '../layout/bit-layout.js';
import type { DecodedId } from '../ids/decoded-id.js';
import { IdDecoder } from '../ids/decoder.js';
import { IdGenerator } from './generator.js';
import { SnowflakeError } from '../errors/snowflake-error.js';
import { StoppedError } from '../errors/issuing-errors.js';
import { runs } from '../../../../../test/support/runs.js';
import { requireCount } from './batch-checks.js';
import { requireRight } from './issuing-right.js';
import { LogicalClock } from './logical-clock.js';
import { requireClock, requireFunction } from '../options/option-checks.js';
import { refusalOf } from './refusal.js';
import { SequenceStart } from './sequence-start.js';

const START = Date.parse('2026-01-01T00:00:00Z');
const HOUR_MS = 3_600_000;
const POLICIES: readonly ClockRollbackPolicy[] = ['switch', 'hold', 'reuse', 'wait', 'throw'];
const IDS_PER_TICK = 16;
const WINDOW = { fromMs: START - HOUR_MS, untilMs: START + HOUR_MS, clockTimeUntilMs: START + HOUR_MS };

function world(onClockRollback: ClockRollbackPolicy, Generator = IdGenerator) {
  const clock = new VirtualClock(START);
  const layout = new BitLayout({ sequenceBits: Math.log2(IDS_PER_TICK) });
  const generator = new Generator(layout, clock, { onClockRollback });
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

/** The generator without one check: a refill doesn't look at its credit again after the listener has run. */
function carelessGenerator(): typeof IdGenerator {
  const names = { DenseRuns, generatorSettings, IdRegister, LogicalClock, SequenceStart };
  const scope = {
    ...names,
    refusalOf,
    requireClock,
    requireCount,
    requireFunction,
    requireLayout,
    requireRight,
  };
  const text = String(IdGenerator);
  const careless = text.replace('if (this.#credit > 0) return;', 'return;');
  expect(careless).not.toBe(text);
  const make = compileFunction(`return ${careless}`, Object.keys(scope));
  return Reflect.apply(make, undefined, Object.values(scope)) as typeof IdGenerator;
}

/**
 * Makes IDs, steps the clock back and continues, while the rollback listener makes IDs as well.
 *
 * @returns the number of IDs that are duplicates or belong to another worker ID
 */
function faultsOf(
  onClockRollback: ClockRollbackPolicy,
  before: number,
  within: number,
  after: number,
  Generator = IdGenerator,
): number {
  const { clock, generator, made, make, decoded } = world(onClockRollback, Generator);
  generator.subscribeToRollbacks(() => make(within));
  for (let round = 0; round < 3; round += 1) {
    make(before);
    clock.step(-20);
    make(after);
    clock.step(7);
  }
  const repeats = made.length - new Set(made).size;
  return repeats + decoded().filter(({ workerId }) => workerId !== 1).length;
}

describe('a clock rollback listener, during a call,', () => {
  const count = fc.integer({ min: 1, max: 4 * IDS_PER_TICK });

  it.each(POLICIES)('lets a rollback listener make IDs (%s)', (onClockRollback) => {
    fc.assert(
      fc.property(
        count,
        count,
        count,
        (before, within, after) => faultsOf(onClockRollback, before, within, after) === 0,
      ),
      { numRuns: runs(300), examples: [[IDS_PER_TICK - 1, 1, 4 * IDS_PER_TICK]] },
    );
  });

  it("makes IDs of another worker ID if a refill doesn't check its credit again (control)", () => {
    expect(faultsOf('hold', IDS_PER_TICK - 1, 1, 4 * IDS_PER_TICK, carelessGenerator())).toBeGreaterThan(0);
  });

  it.each(['wait', 'throw'] as const)(
    'calls a rollback listener once that asks for an ID and is refused (%s)',
    (onClockRollback) => {
      const { clock, generator, make } = world(onClockRollback);
      let told = 0;
      generator.subscribeToRollbacks(() => {
        told += 1;
        make(1);
      });
      make(1);
      clock.step(-20);
      make(1);
      expect(told).toBe(1);
    },
  );

  it.each(POLICIES)(
    'uses the right that a rollback listener adopts during the call (%s)',
    (onClockRollback) => {
      const { clock, generator, made, make, decoded } = world(onClockRollback);
      generator.subscribeToRollbacks(() => generator.adopt({ workerId: 2, ...WINDOW }));
      make(IDS_PER_TICK - 1);
      const before = made.length;
      clock.step(-20);
      make(1);
      make(2 * IDS_PER_TICK);
      const workerIds = decoded().map(({ workerId }) => workerId);
      expect(new Set(workerIds.slice(0, before))).toEqual(new Set([1]));
      expect(new Set(workerIds.slice(before))).toEqual(new Set([2]));
    },
  );

  it('makes no more IDs once a rollback listener has stopped the generator', () => {
    const { clock, generator, make } = world('hold');
    generator.subscribeToRollbacks(() => generator.stop());
    make(3);
    clock.step(-20);
    expect(() => generator.nextId()).toThrow(StoppedError);
    expect(() => generator.nextBigInt()).toThrow(StoppedError);
  });
});
