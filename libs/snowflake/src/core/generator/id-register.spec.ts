import fc from 'fast-check';
import { BitLayout } from '../layout/bit-layout.js';
import { layoutPreset, layoutPresets } from '../layout/presets.js';
import { IdRegister } from './id-register.js';
import { runs } from '../../../../../test/support/runs.js';

const EPOCH = 0;

/** Returns all IDs of one tick, each read as `how` says. */
function read(layout: BitLayout, tick: number, workerId: number, how: readonly string[]): bigint[] {
  const register = new IdRegister(layout);
  register.enter(workerId, 0);
  register.beginTick(tick);
  return how.flatMap((way) => {
    if (way === 'bigint') return [register.nextBigInt()];
    if (way === 'decimal') return [BigInt(register.nextDecimal())];
    const ids = new BigUint64Array(4);
    register.fill(new Uint32Array(ids.buffer), 1, 2);
    expect([ids[0], ids[3]]).toEqual([0n, 0n]);
    return Array.from(ids.subarray(1, 3));
  });
}

const layouts = fc.oneof(
  fc
    .constantFrom(...Object.keys(layoutPresets))
    .map((name) => new BitLayout(layoutPreset(name).layout, EPOCH)),
  fc
    .record({ workerBits: fc.integer({ min: 0, max: 12 }), sequenceBits: fc.integer({ min: 8, max: 20 }) })
    .map((bits) => new BitLayout(bits, EPOCH)),
);

describe('the register', () => {
  it('steps through the IDs of a tick, however they are read', () => {
    const ways = fc.array(fc.constantFrom('bigint', 'decimal', 'fill'), { minLength: 1, maxLength: 40 });
    const place = fc.tuple(layouts, fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(), ways);
    fc.assert(
      fc.property(place, ([layout, part, worker, how]) => {
        const tick = Math.floor(part * part * part * layout.maxTick);
        const workerId = worker % (layout.maxWorkerId + 1);
        const ids = read(layout, tick, workerId, how);
        const expected = ids.map((_, sequence) => layout.compose({ tick, workerId, sequence }));
        expect(ids).toEqual(expected);
      }),
      { numRuns: runs(1000) },
    );
  });

  it('writes decimals at the end of a low word after a jump from its start', () => {
    const layout = new BitLayout({ workerBits: 12, sequenceBits: 20, order: ['sequence', 'worker'] }, EPOCH);
    const between = new Uint32Array(2 * (layout.idsPerTick - 2));
    const register = new IdRegister(layout);
    register.enter(layout.maxWorkerId, 0);
    for (let tick = 40_000_000; tick < 40_000_030; tick++) {
      register.beginTick(tick);
      const first = register.nextDecimal();
      register.fill(between, 0, layout.idsPerTick - 2);
      const expected = [0, layout.maxSequence].map((sequence) =>
        String(layout.compose({ tick, workerId: layout.maxWorkerId, sequence })),
      );
      expect([first, register.nextDecimal()]).toEqual(expected);
    }
  });

  it('writes decimals after forward and backward jumps of every size', () => {
    const jumps = fc.oneof(
      fc.integer({ min: -3, max: 3000 }),
      fc.integer({ min: -300_000, max: 300_000 }),
      fc.integer({ min: -(2 ** 38), max: 2 ** 40 }),
    );
    const smallSteps = fc.integer({ min: -3, max: 3 });
    fc.assert(
      fc.property(
        layouts,
        fc.array(fc.tuple(jumps, fc.boolean(), smallSteps), { maxLength: 40 }),
        fc.nat(),
        (layout, steps, worker) => {
          const workerId = worker % (layout.maxWorkerId + 1);
          const register = new IdRegister(layout);
          register.enter(workerId, 0);
          let tick = 0;
          // The ticks within 10^12 IDs, where the first digits stay the same.
          const ticks = 10 ** 12 / 2 ** layout.field('timestamp').shift;
          const decimals: string[] = [];
          const expected: string[] = [];
          for (const [jump, toFirstDigits, step] of steps) {
            const to = toFirstDigits
              ? Math.floor(Math.round((tick + jump) / ticks) * ticks) + step
              : tick + jump;
            tick = Math.min(layout.maxTick, Math.max(0, to));
            register.beginTick(tick);
            for (const sequence of [0, 1]) {
              decimals.push(register.nextDecimal());
              expected.push(String(layout.compose({ tick, workerId, sequence })));
            }
          }
          expect(decimals).toEqual(expected);
        },
      ),
      { numRuns: runs(2000) },
    );
  });

  it.each([0, 1, 9, 10, 9_999, 10_000, 99_999_999, 2 ** 31 - 4, 2 ** 32 - 4, 10 ** 12, 10 ** 15, 2 ** 52])(
    'writes decimals of every length, from %o on, across limbs and words',
    (start) => {
      const layout = new BitLayout({ workerBits: 2, sequenceBits: 8 }, EPOCH);
      const register = new IdRegister(layout);
      register.enter(0, 0);
      const firstTick = Math.floor(start / 1024);
      for (let tick = firstTick; tick < firstTick + runs(100); tick += 1) {
        register.beginTick(tick);
        const decimals = Array.from({ length: 256 }, () => register.nextDecimal());
        const expected = decimals.map((_, sequence) =>
          String(layout.compose({ tick, workerId: 0, sequence })),
        );
        expect(decimals).toEqual(expected);
      }
    },
  );
});
