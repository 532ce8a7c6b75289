import fc from 'fast-check';
import { runs } from '../../../../../test/support/runs.js';
import { VirtualClock } from '../../stores/port/virtual-clock.js';
import { InvalidOptionError } from '../errors/input-errors.js';
import {
  LeaseExhaustedError,
  NotReadyError,
  SequenceExhaustedError,
  StoppedError,
  TimestampExhaustedError,
} from '../errors/issuing-errors.js';
import { IdDecoder } from '../ids/decoder.js';
import type { BitLayoutOptions } from '../layout/bit-layout-options.js';
import { BitLayout } from '../layout/bit-layout.js';
import { DenseRuns } from './dense-runs.js';
import type { GeneratorOptions } from './generator-options.js';
import { IdGenerator } from './generator.js';

const START = Date.parse('2026-01-01T00:00:00Z');
const WINDOW_MS = 60_000;
const RESERVE_MS = 10_000;

function world(options: GeneratorOptions = {}, layoutOptions: BitLayoutOptions = {}, windowMs = WINDOW_MS) {
  const clock = new VirtualClock(START);
  const layout = new BitLayout(layoutOptions);
  const generator = new IdGenerator(layout, clock, options);
  const decoder = new IdDecoder(layout);
  generator.adopt({
    workerId: 17,
    fromMs: START - 1,
    untilMs: START + windowMs,
    clockTimeUntilMs: START + windowMs - RESERVE_MS,
  });
  return { clock, layout, generator, decoder, next: () => decoder.decode(generator.nextBigInt()) };
}

describe('IdGenerator [promise: fail-closed, order, unique]', () => {
  it("issues IDs with the worker ID, the clock's tick and an ascending sequence", () => {
    const { clock, next } = world();
    expect(next()).toMatchObject({ workerId: 17, timestampMs: START, sequence: 0 });
    expect(next()).toMatchObject({ workerId: 17, timestampMs: START, sequence: 1 });
    clock.step(5);
    expect(next()).toMatchObject({ timestampMs: START + 5, sequence: 0 });
  });

  it('issues one ascending sequence as bigints, strings and batches of both', () => {
    const { generator } = world();
    const ids: bigint[] = [];
    for (let round = 0; round < 3000; round++) {
      ids.push(generator.nextBigInt(), BigInt(generator.nextId()));
      if (round % 500 === 0) ids.push(...generator.nextBigInts(1000), ...generator.nextIds(1000).map(BigInt));
    }
    // Sequences have no gaps: an ID is the next one of its tick, or the first one of the next tick.
    const next = (id: bigint): bigint =>
      (id & 4095n) === 4095n ? (((id >> 22n) + 1n) << 22n) | (17n << 12n) : id + 1n;
    expect(ids.findIndex((id, at) => at > 0 && id !== next(ids[at - 1]!))).toBe(-1);
  });

  it.each([0, 1, 5000, 40_960])(
    'issues as many IDs after its window as it counts, with %i before it',
    (before) => {
      const { clock, generator, next } = world();
      expect(new IdGenerator(new BitLayout(), clock).idsLeft).toBe(0);
      if (before > 0) generator.nextIds(before);
      clock.step(2 * RESERVE_MS + 120_000);
      if (before > 0) next();
      const { idsLeft } = generator;
      expect(idsLeft).toBeGreaterThan(0);
      for (let left = idsLeft; left > 0; left -= Math.min(left, 1_000_000)) {
        generator.nextBigInts(Math.min(left, 1_000_000));
      }
      expect(generator.idsLeft).toBe(0);
      expect(() => generator.nextBigInt()).toThrow(LeaseExhaustedError);
    },
  );

  it('fills a part of an array, and accepts only a BigUint64Array', () => {
    const { generator } = world();
    const all = new BigUint64Array(30);
    const part = generator.fillBigInts(all.subarray(5, 25));
    expect([...part]).toEqual([...all].slice(5, 25));
    expect([...all].filter((id) => id === 0n)).toHaveLength(10);
    const next = generator.nextBigInt();
    const others: unknown[] = [
      [7n, 7n],
      new Float64Array(2),
      new BigInt64Array(2),
      new Uint8Array(16),
      undefined,
    ];
    for (const wrong of others) {
      expect(() => generator.fillBigInts(wrong as BigUint64Array)).toThrow(InvalidOptionError);
    }
    expect(generator.nextBigInt()).toBe(next + 1n);
  });

  it('generates the IDs that compose() makes, for every order of the fields', () => {
    const orders = [
      ['datacenter', 'worker', 'sequence'],
      ['sequence', 'worker', 'datacenter'],
      ['worker', 'sequence', 'datacenter'],
    ] as const;
    fc.assert(
      fc.property(
        fc.constantFrom(...orders),
        fc.integer({ min: 0, max: 5 }),
        fc.integer({ min: 5, max: 12 }),
        fc.integer({ min: 1, max: 12 }),
        // 34 timestamp bits, the fewest of these, last 2 years with ticks of 4 ms.
        fc.constantFrom(4, 10, 1000),
        (order, datacenterBits, workerBits, sequenceBits, tickMs) => {
          const layout = new BitLayout({ order, datacenterBits, workerBits, sequenceBits, tickMs });
          const generator = new IdGenerator(layout, new VirtualClock(START));
          const datacenterId = layout.maxDatacenterId;
          const workerId = layout.maxWorkerId;
          generator.adopt({
            workerId,
            datacenterId,
            fromMs: 0,
            untilMs: START + 60_000,
            clockTimeUntilMs: START + 50_000,
          });
          const firstTick = layout.tickAt(START);
          const composed = Array.from({ length: 40 }, (_, made) => {
            const tick = firstTick + Math.floor(made / layout.idsPerTick);
            return layout.compose({ tick, workerId, datacenterId, sequence: made % layout.idsPerTick });
          });
          const issued = composed.map((_, made) =>
            made % 2 === 0 ? generator.nextBigInt() : BigInt(generator.nextId()),
          );
          expect(issued).toEqual(composed);
        },
      ),
    );
  });

  it('writes the short IDs of the first ticks after the epoch', () => {
    const clock = new VirtualClock('2024-01-01T00:00:00Z');
    const generator = new IdGenerator(new BitLayout({ workerBits: 1, sequenceBits: 14 }), clock);
    generator.adopt({
      workerId: 0,
      fromMs: 0,
      untilMs: clock.now() + 1000,
      clockTimeUntilMs: clock.now() + 900,
    });
    expect(generator.nextIds(12_000)).toEqual(
      Array.from({ length: 12_000 }, (_, sequence) => String(sequence)),
    );
  });

  describe('when the sequence is exhausted', () => {
    it('borrows ticks up to the drift bound, then issues as fast as time passes', () => {
      const { clock, generator } = world({ maxDriftMs: 10 }, { sequenceBits: 4 });
      generator.nextBigInts(16 * 11);
      expect(clock.now()).toBe(START);
      expect(generator.driftMs).toBe(10);
      generator.nextBigInts(16);
      expect(clock.now()).toBe(START + 1);
      generator.nextBigInts(160);
      expect(clock.now()).toBe(START + 11);
      expect(generator.driftMs).toBe(10);
    });

    it('waits for the next tick', () => {
      const { clock, generator, next } = world({ onSequenceExhausted: 'wait' }, { sequenceBits: 4 });
      generator.nextBigInts(16);
      expect(clock.now()).toBe(START);
      expect(next()).toMatchObject({ timestampMs: START + 1, sequence: 0 });
      expect(clock.now()).toBe(START + 1);
    });

    it('throws, and continues when time has passed', () => {
      const { clock, generator, next } = world({ onSequenceExhausted: 'throw' }, { sequenceBits: 4 });
      generator.nextBigInts(16);
      expect(() => generator.nextId()).toThrow(SequenceExhaustedError);
      expect(() => generator.nextId()).toThrow(SequenceExhaustedError);
      clock.step(1);
      expect(next()).toMatchObject({ timestampMs: START + 1, sequence: 0 });
    });
  });

  describe('within its window', () => {
    it('follows the clock below the reserve, and uses up each tick within it', () => {
      const { clock, next } = world();
      clock.step(49_999);
      expect(next().timestampMs).toBe(START + 49_999);
      clock.step(3_600_000);
      expect(next()).toMatchObject({ timestampMs: START + 50_000, sequence: 0 });
      expect(next()).toMatchObject({ timestampMs: START + 50_000, sequence: 1 });
    });

    it('uses every timestamp of the reserve, including the last one, and no more', () => {
      const { clock, generator, decoder } = world({}, { sequenceBits: 2 });
      clock.step(3_600_000);
      const ids = generator.nextBigInts(4 * (RESERVE_MS + 1));
      expect(decoder.decode(ids.at(-1)!)).toMatchObject({ timestampMs: START + WINDOW_MS, sequence: 3 });
      expect(generator.canIssue).toBe(false);
      expect(() => generator.nextId()).toThrow(LeaseExhaustedError);
      expect(() => generator.nextBigInts(1)).toThrow(/ended at 2026-01-01T00:01:00.000Z/);
    });

    it.each(['wait', 'throw'] as const)(
      'reports the end of the window, not of the sequence, and blocks for no tick beyond it, under %s',
      (onSequenceExhausted) => {
        const { clock, generator } = world({ onSequenceExhausted }, { sequenceBits: 2 }, 0);
        generator.nextBigInts(4);
        expect(() => generator.nextBigInt()).toThrow(LeaseExhaustedError);
        expect(clock.now()).toBe(START);
      },
    );

    it('waits for the last tick of its window as for every other', () => {
      const { clock, generator, next } = world({ onSequenceExhausted: 'wait' }, { sequenceBits: 2 });
      generator.extend(START + 1, START + 1);
      generator.nextBigInts(4);
      expect(next()).toMatchObject({ timestampMs: START + 1, sequence: 0 });
      expect(clock.now()).toBe(START + 1);
    });

    it('resumes when the window is extended', () => {
      const { clock, generator, next } = world({}, { sequenceBits: 2 });
      clock.step(3_600_000);
      generator.nextBigInts(4 * (RESERVE_MS + 1));
      expect(() => generator.nextId()).toThrow(LeaseExhaustedError);
      generator.extend(START + 3_660_000, START + 3_650_000);
      expect(next()).toMatchObject({ timestampMs: START + 3_600_000, sequence: 0 });
    });

    it('stops within a tick if the end is moved before it', () => {
      const { generator, next } = world();
      for (let made = 0; made < 10; made++) next();
      generator.extend(START - 1, START - 1);
      expect(generator.canIssue).toBe(false);
      expect(() => generator.nextId()).toThrow(LeaseExhaustedError);
      expect(() => generator.nextBigInts(20)).toThrow(LeaseExhaustedError);
    });

    it('issues only after adopting a right, not after extending one', () => {
      const generator = new IdGenerator(new BitLayout(), new VirtualClock(START));
      generator.extend(START + 1000, START + 1000);
      expect(generator.canIssue).toBe(false);
      expect(() => generator.nextId()).toThrow(NotReadyError);
    });

    it.each([1.1e16, 1e300])('refuses to issue if it starts at %o, after all timestamps', (fromMs) => {
      const { generator } = world();
      generator.adopt({ workerId: 1, fromMs, untilMs: fromMs, clockTimeUntilMs: fromMs });
      expect(() => generator.nextId()).toThrow(TimestampExhaustedError);
    });

    it('never issues at or below the start of its window', () => {
      const { generator, next } = world();
      generator.adopt({
        workerId: 3,
        fromMs: START + 700,
        untilMs: START + 60_700,
        clockTimeUntilMs: START + 50_700,
      });
      expect(next()).toMatchObject({ workerId: 3, timestampMs: START + 701, sequence: 0 });
    });

    it("returns nothing of a batch that it can't finish, and never reissues the skipped IDs", () => {
      const { generator, next } = world({}, { sequenceBits: 2 }, RESERVE_MS);
      next();
      expect(() => generator.nextBigInts(1_000_000)).toThrow(LeaseExhaustedError);
      expect(() => generator.nextIds(1)).toThrow(LeaseExhaustedError);
    });
  });

  describe('when the clock goes back', () => {
    it.each([1, 3, 5])('treats %i ms as jitter', (ms) => {
      const { clock, generator, next } = world();
      const steps: number[] = [];
      generator.subscribeToRollbacks((backwardsMs) => void steps.push(backwardsMs));
      const before = next();
      clock.step(-ms);
      expect(next()).toMatchObject({ timestampMs: before.timestampMs, sequence: 1 });
      expect(steps).toEqual([]);
    });

    it.each([6, 1000, 3_600_000])('reports %i ms once, and continues in logical time', (ms) => {
      const { clock, generator } = world();
      const steps: number[] = [];
      generator.subscribeToRollbacks((backwardsMs) => void steps.push(backwardsMs));
      let previous = generator.nextBigInt();
      clock.step(-ms);
      for (let made = 0; made < 50_000; made++) {
        const id = generator.nextBigInt();
        if (id <= previous) throw new Error(`${id} after ${previous}`);
        previous = id;
      }
      expect(steps).toEqual([ms]);
      clock.step(-ms);
      generator.nextBigInt();
      expect(steps).toEqual([ms, ms]);
    });

    it('treats no correction of the clock as a rollback', () => {
      const { generator, next } = world();
      const steps: number[] = [];
      generator.subscribeToRollbacks((backwardsMs) => void steps.push(backwardsMs));
      next();
      generator.correctClock(-5000);
      next();
      expect(steps).toEqual([]);
    });
  });

  it('reads the clock again after the event loop has turned, however dense the calls were', async () => {
    const clock = new VirtualClock(START);
    const turning = Object.assign(Object.create(clock) as VirtualClock, { afterThisTurn: queueMicrotask });
    turning.now = () => clock.now();
    const layout = new BitLayout();
    const generator = new IdGenerator(layout, turning);
    const decoder = new IdDecoder(layout);
    generator.adopt({ workerId: 1, fromMs: 0, untilMs: START + 60_000, clockTimeUntilMs: START + 50_000 });
    let looks = 0;
    turning.now = () => (looks++, clock.now());
    const ids = Array.from({ length: 100 }, () => generator.nextBigInt());
    expect(looks).toBeLessThan(20);
    clock.step(30);
    await Promise.resolve();
    ids.push(generator.nextBigInt());
    expect(decoder.decode(ids.at(-1)!).timestampMs).toBe(START + 30);
    expect(new Set(ids).size).toBe(101);
  });

  it.each([4200, 1024, -1, 1.5, Number.NaN])(
    'refuses the worker ID %o instead of truncating it',
    (workerId) => {
      const { generator, next } = world();
      const right = { fromMs: START, untilMs: START + 1000, clockTimeUntilMs: START + 900 };
      expect(() => generator.adopt({ ...right, workerId })).toThrow(
        expect.objectContaining({ option: 'workerId' }),
      );
      expect(() => generator.adopt({ ...right, workerId: 1, datacenterId: 1 })).toThrow(
        expect.objectContaining({ option: 'datacenterId' }),
      );
      expect(next()).toMatchObject({ workerId: 17, timestampMs: START, sequence: 0 });
    },
  );

  it.each([Number.NaN, undefined, Number.POSITIVE_INFINITY, '1767225600000'])(
    'refuses %o for a time, and goes on in the window it has',
    (time) => {
      const { generator, next } = world();
      const right = { workerId: 1, fromMs: START, untilMs: START + 1000, clockTimeUntilMs: START + 900 };
      for (const name of ['fromMs', 'untilMs', 'clockTimeUntilMs']) {
        expect(() => generator.adopt({ ...right, [name]: time })).toThrow(
          expect.objectContaining({ option: name }),
        );
      }
      const none = time as number;
      expect(() => generator.extend(none, START)).toThrow(expect.objectContaining({ option: 'untilMs' }));
      expect(() => generator.extend(START, none)).toThrow(
        expect.objectContaining({ option: 'clockTimeUntilMs' }),
      );
      expect(next()).toMatchObject({ workerId: 17, timestampMs: START, sequence: 0 });
    },
  );

  it("says why it doesn't issue IDs", () => {
    const clock = new VirtualClock(START);
    const generator = new IdGenerator(new BitLayout(), clock);
    expect(generator.canIssue).toBe(false);
    expect(() => generator.nextId()).toThrow(NotReadyError);
    generator.adopt({ workerId: 1, fromMs: 0, untilMs: START + 1000, clockTimeUntilMs: START + 900 });
    generator.nextId();
    generator.stop();
    expect(() => generator.nextId()).toThrow(StoppedError);
    generator.adopt({ workerId: 2, fromMs: 0, untilMs: START + 1000, clockTimeUntilMs: START + 900 });
    generator.extend(START + 5000, START + 5000);
    expect(() => generator.nextId()).toThrow(StoppedError);
  });

  it('issues IDs exactly until the timestamp field ends', () => {
    const layout = new BitLayout({ timestampBits: 22, sequenceBits: 2 }, START);
    const clock = new VirtualClock(layout.expiresAt);
    const generator = new IdGenerator(layout, clock);
    generator.adopt({ workerId: 0, fromMs: START, untilMs: START + 1e9, clockTimeUntilMs: START + 1e9 });
    const ids = generator.nextBigInts(4);
    expect(ids.at(-1)).toBe(layout.compose({ tick: layout.maxTick, workerId: 0, sequence: 3 }));
    expect(() => generator.nextId()).toThrow(TimestampExhaustedError);
    expect(() => generator.nextId()).toThrow(layout.expiresAt.toISOString());
  });

  it.each([-1, 1.5, Number.NaN, 10_000_001, '5' as unknown as number])('refuses a batch of %o', (count) => {
    const { generator } = world();
    expect(() => generator.nextBigInts(count)).toThrow(InvalidOptionError);
    expect(() => generator.nextIds(count)).toThrow(InvalidOptionError);
  });

  it.each<[string, GeneratorOptions]>([
    ['onSequenceExhausted', { onSequenceExhausted: 'spin' as 'wait' }],
    ['onClockRollback', { onClockRollback: 'jump' as 'hold' }],
    ['sequenceStart', { sequenceStart: 'one' as 'zero' }],
    ['maxDriftMs', { maxDriftMs: 0 }],
    ['maxDriftMs', { maxDriftMs: 60_001 }],
    ['rollbackToleranceMs', { rollbackToleranceMs: -1 }],
  ])('refuses the option %s of %o', (option, options) => {
    expect(() => new IdGenerator(new BitLayout(), new VirtualClock(), options)).toThrow(
      expect.objectContaining({ option }),
    );
  });

  it('never repeats an ID, whatever the clock does (control: it does if it forgets the last tick)', () => {
    const walk = fc.array(
      fc.tuple(fc.integer({ min: -3_600_000, max: 3_600_000 }), fc.integer({ min: 1, max: 40 })),
      {
        maxLength: 60,
      },
    );
    let repeatsWithoutMemory = 0;
    fc.assert(
      fc.property(walk, (steps) => {
        const { clock, generator } = world({}, { sequenceBits: 4 }, 86_400_000);
        const seen = new Set<bigint>();
        const naive = new Set<string>();
        for (const [stepMs, count] of steps) {
          clock.step(Math.trunc(stepMs / 600_000) === 0 ? stepMs % 10 : stepMs);
          for (let made = 0; made < count; made++) {
            const id = generator.nextBigInt();
            if (seen.has(id)) throw new Error(`repeated ${id}`);
            seen.add(id);
            const stampAndSequence = `${clock.now()}-${made % 16}`;
            if (naive.has(stampAndSequence)) repeatsWithoutMemory++;
            naive.add(stampAndSequence);
          }
        }
      }),
    );
    expect(repeatsWithoutMemory).toBeGreaterThan(0);
  });
});

const steps = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('one' as const), times: fc.integer({ min: 1, max: 200 }) }),
    fc.record({ kind: fc.constant('many' as const), times: fc.integer({ min: 0, max: 5000 }) }),
    fc.record({ kind: fc.constant('clock' as const), times: fc.integer({ min: -50, max: 500 }) }),
    fc.record({ kind: fc.constant('adopt' as const), times: fc.integer({ min: 1, max: 9 }) }),
  ),
  { maxLength: 30 },
);

describe('the number of issued IDs', () => {
  it.each(['switch', 'reuse'] as const)('counts every ID once, under %s', (onClockRollback) => {
    fc.assert(
      fc.property(steps, fc.constantFrom('zero', 'rolling' as const), (all, sequenceStart) => {
        const clock = new VirtualClock(START);
        const generator = new IdGenerator(new BitLayout(), clock, { onClockRollback, sequenceStart });
        const adopt = (workerId: number): void =>
          generator.adopt({ workerId, fromMs: 0, untilMs: START + 1e9, clockTimeUntilMs: START + 1e9 });
        adopt(0);
        let issued = 0;
        for (const { kind, times } of all) {
          if (kind === 'clock') clock.step(times);
          else if (kind === 'adopt') adopt(times);
          else if (kind === 'many') issued += generator.nextBigInts(times).length;
          else for (let made = 0; made < times; made++) issued += Number(generator.nextBigInt() >= 0n);
          expect(generator.issued).toBe(issued);
        }
        generator.stop();
        expect(generator.issued).toBe(issued);
      }),
      { numRuns: runs(1000) },
    );
  });
});

/** @param takenEachTurn IDs that the caller takes per turn of the event loop; all turns are in one tick */
function runsGranted(turns: number, takenEachTurn: number): number {
  let credit = 0;
  let granted = 0;
  const endsOfTurn: (() => void)[] = [];
  const clock = Object.assign(new VirtualClock(), {
    afterThisTurn: (task: () => void) => void endsOfTurn.push(task),
  });
  const dense = new DenseRuns(clock, () => {
    const left = credit;
    credit = 0;
    return left;
  });
  for (let turn = 0; turn < turns; turn++) {
    for (let taken = 0; taken < takenEachTurn; taken++) {
      if (credit === 0) {
        credit = dense.recordReading();
        if (credit > 1) granted++;
      }
      credit--;
    }
    for (const task of endsOfTurn.splice(0)) task();
  }
  return granted;
}

describe('DenseRuns', () => {
  it('grants a run in each turn that takes many IDs', () => {
    expect(runsGranted(100, 10)).toBe(100);
  });

  it('continues if a turn used only one ID of its last run', () => {
    expect(runsGranted(1, 3 + 320)).toBe(10);
    expect(runsGranted(50, 3 + 64 + 1)).toBe(50 * 3);
  });

  it('grants fewer and fewer runs if calls come once per turn', () => {
    // After 4 readings, then 8, 16, 32, 64 and 128, then 256 each.
    expect(runsGranted(4 + 8 + 16 + 32 + 64 + 128 + 10 * 256, 1)).toBe(16);
  });
});
