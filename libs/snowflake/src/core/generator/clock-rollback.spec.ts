import { transformSync } from '@swc/core';
import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { compileFunction } from 'node:vm';
import { jest } from '@jest/globals';
import { runs } from '../../../../../test/support/runs.js';
import { swcOptions } from '../../../../../test/support/swc-options.mjs';
import { VirtualClock } from '../../stores/port/virtual-clock.js';
import { InvalidOptionError } from '../errors/input-errors.js';
import { ClockRollbackError, StoppedError } from '../errors/issuing-errors.js';
import { SnowflakeError } from '../errors/snowflake-error.js';
import type { DecodedId } from '../ids/decoded-id.js';
import { IdDecoder } from '../ids/decoder.js';
import { BitLayout } from '../layout/bit-layout.js';
import type { ClockRollbackPolicy, GeneratorOptions } from './generator-options.js';
import { IdGenerator } from './generator.js';
import { TickMemory } from './tick-memory.js';

const START = Date.parse('2026-01-01T00:00:00Z');
const RIGHT = {
  workerId: 1,
  fromMs: START - 60_000,
  untilMs: START + 60_000,
  clockTimeUntilMs: START + 50_000,
};
const POLICIES: readonly ClockRollbackPolicy[] = ['switch', 'hold', 'reuse', 'wait', 'throw'];
type Walk = readonly (readonly [stepMs: number, calls: number])[];

function clockWorld(options: GeneratorOptions) {
  const clock = new VirtualClock(START);
  const generator = new IdGenerator(new BitLayout({ sequenceBits: 4 }), clock, options);
  const rollbacksMs: number[] = [];
  generator.subscribeToRollbacks((backwardsMs) => void rollbacksMs.push(backwardsMs));
  generator.adopt(RIGHT);
  return { clock, generator, rollbacksMs };
}

describe('LogicalClock', () => {
  /** What a caller sees: each ID or error with the clock's time, and each reported rollback. */
  function courseOf(options: GeneratorOptions, walk: Walk, before: (generator: IdGenerator) => void) {
    const { clock, generator, rollbacksMs } = clockWorld(options);
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
    return [...seen, ...rollbacksMs];
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
    const { clock, generator, rollbacksMs } = clockWorld({ onClockRollback: 'throw' });
    for (let again = 0; again < 2; again++) {
      generator.nextBigInts(2);
      clock.step(-7);
      expect(() => generator.nextBigInt()).toThrow(ClockRollbackError);
      clock.step(7);
    }
    expect(rollbacksMs).toEqual([7, 7]);
  });

  it('chooses the tick again for a time that it waited for', () => {
    const { clock, generator } = clockWorld({ onClockRollback: 'wait' });
    generator.nextBigInts(2);
    for (let again = 0; again < 3; again++) {
      clock.step(-4);
      generator.nextBigInt();
      expect(clock.now()).toBe(START);
    }
  });

  it('chooses again after a correction, for the same reading', () => {
    const { generator } = clockWorld({});
    generator.nextBigInts(2);
    generator.correctClock(1000);
    generator.nextBigInt();
    expect(generator.lastUsedMs).toBe(START + 1000);
  });

  it('chooses again after the window is extended, for the same reading', () => {
    const { generator } = clockWorld({});
    generator.adopt({ ...RIGHT, clockTimeUntilMs: START - 1000 });
    generator.nextBigInts(2);
    expect(generator.lastUsedMs).toBe(START - 1000);
    generator.extend(RIGHT.untilMs, RIGHT.clockTimeUntilMs);
    generator.nextBigInt();
    expect(generator.lastUsedMs).toBe(START);
  });

  it('chooses again if the rollback listener corrects the clock', () => {
    const { clock, generator } = clockWorld({ onClockRollback: 'hold' });
    generator.subscribeToRollbacks(() => generator.correctClock(5000));
    generator.nextBigInt();
    clock.step(-20);
    generator.nextBigInts(2);
    expect(generator.lastUsedMs).toBe(START + 4980);
  });

  it('reports a clock that goes back to the same time twice', () => {
    const { clock, generator, rollbacksMs } = clockWorld({ onClockRollback: 'hold' });
    generator.nextBigInt();
    generator.subscribeToRollbacks(() => {
      if (rollbacksMs.length > 1) return;
      clock.step(100);
      generator.nextBigInt();
    });
    clock.step(-20);
    generator.nextBigInt();
    clock.step(-100);
    generator.nextBigInt();
    expect(rollbacksMs).toEqual([20, 100]);
  });

  it('uses up no part of the window if the clock returns NaN', () => {
    const { clock, generator } = clockWorld({});
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

const DAY_MS = 86_400_000;

function world(options: GeneratorOptions, sequenceBits = 4, fromMs = START - 1) {
  const clock = new VirtualClock(START);
  const layout = new BitLayout({ sequenceBits });
  const generator = new IdGenerator(layout, clock, options, () => 0.999);
  const decoder = new IdDecoder(layout);
  const rollbacksMs: number[] = [];
  generator.subscribeToRollbacks((backwardsMs) => void rollbacksMs.push(backwardsMs));
  generator.adopt({ workerId: 1, fromMs, untilMs: START + DAY_MS, clockTimeUntilMs: START + DAY_MS });
  return { clock, generator, rollbacksMs, next: () => decoder.decode(generator.nextBigInt()) };
}

describe('throw', () => {
  it('throws after any backward step, reports it once, and continues when the clock has caught up', () => {
    const { clock, generator, rollbacksMs, next } = world({ onClockRollback: 'throw' });
    next();
    clock.step(-1);
    expect(() => generator.nextId()).toThrow(ClockRollbackError);
    expect(() => generator.nextBigInts(3)).toThrow(
      expect.objectContaining({ backwardsMs: 1, policy: 'throw', retryable: true }),
    );
    expect(rollbacksMs).toEqual([1]);
    clock.step(1);
    expect(next()).toMatchObject({ timestampMs: START, sequence: 1 });
    clock.step(-3_600_000);
    expect(() => generator.nextId()).toThrow(/went back by 3600000 ms/);
    expect(rollbacksMs).toEqual([1, 3_600_000]);
  });
});

describe('wait', () => {
  it('blocks until the clock has caught up, for at most twice the step', () => {
    const { clock, rollbacksMs, next } = world({ onClockRollback: 'wait' });
    next();
    clock.step(-5);
    expect(next()).toMatchObject({ timestampMs: START, sequence: 1 });
    expect([clock.now(), rollbacksMs]).toEqual([START, []]);
  });

  it('throws immediately after a larger step', () => {
    const { clock, generator, rollbacksMs, next } = world({ onClockRollback: 'wait' });
    next();
    clock.step(-6);
    expect(() => generator.nextId()).toThrow(ClockRollbackError);
    expect([clock.now(), rollbacksMs]).toEqual([START - 6, [6]]);
  });

  it("throws if the clock hasn't caught up by then", () => {
    const { clock, generator, rollbacksMs, next } = world({ onClockRollback: 'wait' });
    next();
    clock.step(-4);
    clock.blockUntil = () => clock.step(1) === undefined;
    expect(() => generator.nextId()).toThrow(expect.objectContaining({ backwardsMs: 3 }));
    expect(rollbacksMs).toEqual([3]);
  });

  it('refuses a long tolerance under wait, which blocks the event loop', () => {
    expect(() => world({ onClockRollback: 'wait', rollbackToleranceMs: 1001 })).toThrow(InvalidOptionError);
  });
});

describe('reuse', () => {
  it('uses the remaining sequence numbers of the ticks that the clock repeats', () => {
    const { clock, rollbacksMs, next } = world({ onClockRollback: 'reuse' });
    for (let ms = 0; ms < 20; ms += 1) {
      next();
      clock.step(1);
    }
    clock.step(-15);
    expect(next()).toMatchObject({ timestampMs: START + 5, sequence: 1 });
    expect(next()).toMatchObject({ timestampMs: START + 5, sequence: 2 });
    clock.step(1);
    expect(next()).toMatchObject({ timestampMs: START + 6, sequence: 1 });
    expect(rollbacksMs).toEqual([14]);
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
      { numRuns: runs(1000) },
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

const HOUR_MS = 3_600_000;
const IDS_PER_TICK = 16;
const WINDOW = { fromMs: START - HOUR_MS, untilMs: START + HOUR_MS, clockTimeUntilMs: START + HOUR_MS };

function listenedWorld(onClockRollback: ClockRollbackPolicy, Generator = IdGenerator) {
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
async function carelessGenerator(): Promise<typeof IdGenerator> {
  const source = readFileSync(new URL('./generator.ts', import.meta.url), 'utf8');
  const careless = source.replace('if (this.#credit > 0) return;', 'return;');
  expect(careless).not.toBe(source);
  const { code } = transformSync(careless, {
    ...swcOptions,
    module: { type: 'commonjs' },
    sourceMaps: false,
  });
  const paths = [...code.matchAll(/require\("(.+?)"\)/g)].map(([, path]) => path!);
  const modules = new Map<string, unknown>();
  for (const path of paths) modules.set(path, await import(path));
  const exports: Record<string, unknown> = {};
  const load = compileFunction(code, ['exports', 'require']);
  Reflect.apply(load, undefined, [exports, (path: string) => modules.get(path)]);
  return exports['IdGenerator'] as typeof IdGenerator;
}

/**
 * Generates IDs, steps the clock back and continues, while the rollback listener generates IDs as well.
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
  const { clock, generator, made, make, decoded } = listenedWorld(onClockRollback, Generator);
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

  it.each(POLICIES)('lets a rollback listener generate IDs (%s)', (onClockRollback) => {
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

  it("generates IDs of another worker ID if a refill doesn't check its credit again (control)", async () => {
    const Careless = await carelessGenerator();
    expect(faultsOf('hold', IDS_PER_TICK - 1, 1, 4 * IDS_PER_TICK, Careless)).toBeGreaterThan(0);
  });

  it.each(['wait', 'throw'] as const)(
    'calls a rollback listener once that asks for an ID and is refused (%s)',
    (onClockRollback) => {
      const { clock, generator, make } = listenedWorld(onClockRollback);
      let rollbacksMs = 0;
      generator.subscribeToRollbacks(() => {
        rollbacksMs += 1;
        make(1);
      });
      make(1);
      clock.step(-20);
      make(1);
      expect(rollbacksMs).toBe(1);
    },
  );

  it.each(POLICIES)(
    'uses the right that a rollback listener adopts during the call (%s)',
    (onClockRollback) => {
      const { clock, generator, made, make, decoded } = listenedWorld(onClockRollback);
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

  it('counts the IDs that a listener makes once, and leaves none of their tick out', () => {
    const clock = Object.assign(new VirtualClock(START), { afterThisTurn: () => undefined });
    const layout = new BitLayout();
    const generator = new IdGenerator(layout, clock, { onClockRollback: 'hold' });
    generator.adopt({ workerId: 1, ...WINDOW });
    // So many calls of one turn count as dense, and the next one gets a run.
    for (let call = 0; call < 4; call += 1) generator.nextBigInt();
    generator.nextIds(28);
    const { issued } = generator;
    generator.subscribeToRollbacks(() => void generator.nextBigInt());
    clock.step(-1000);
    const ids = generator.nextIds(layout.idsPerTick - 33);
    expect(generator.issued).toBe(issued + 1 + ids.length);
    expect(new IdDecoder(layout).decode(ids.at(-1) ?? '').sequence).toBe(layout.idsPerTick - 1);
  });

  it('generates no more IDs once a rollback listener has stopped the generator', () => {
    const { clock, generator, make } = listenedWorld('hold');
    generator.subscribeToRollbacks(() => generator.stop());
    make(3);
    clock.step(-20);
    expect(() => generator.nextId()).toThrow(StoppedError);
    expect(() => generator.nextBigInt()).toThrow(StoppedError);
  });
});
