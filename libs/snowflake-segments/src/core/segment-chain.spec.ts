import fc from 'fast-check';
import { DecimalWriter } from './decimal-writer.js';
import { RateMeter } from './rate-meter.js';
import { SegmentChain, type Segment } from './segment-chain.js';
import { fixedRule, leafRule, timeRule, type StepView } from './step-rule.js';

const EMPTY = new Error('empty');
const empty = (): Error => EMPTY;

function chainOf(
  segments: readonly Segment[],
  stride = 1,
  onCheck: () => void = () => undefined,
): SegmentChain {
  const chain = new SegmentChain(stride, onCheck, empty);
  for (const segment of segments) chain.add(segment);
  return chain;
}

/** Segments that don't overlap, in any order, with every number of theirs. */
const segmentsOf = (stride: number) =>
  fc
    .uniqueArray(fc.nat(30), { minLength: 1, maxLength: 8 })
    .chain((places) =>
      fc.tuple(
        fc.constant(places),
        fc.array(fc.integer({ min: 1, max: 20 }), { minLength: places.length, maxLength: places.length }),
      ),
    )
    .map(([places, counts]) =>
      places.map((place, index) => ({
        token: `t${index}`,
        // The last place lies beyond 2^31, where V8 no longer keeps a number in a tagged word.
        first: place === 30 ? Number.MAX_SAFE_INTEGER - 20 * stride : place * 20 * stride,
        count: counts[index]!,
      })),
    );

const numbersOf = ({ first, count }: Segment, stride: number): number[] =>
  Array.from({ length: count }, (_, index) => first + index * stride);

describe('a segment chain', () => {
  it.each([1, 8])('issues every number of its segments once, in their order, at stride %i', (stride) => {
    fc.assert(
      fc.property(segmentsOf(stride), fc.nat(12), (segments, mark) => {
        const chain = chainOf(segments, stride, () => chain.checkAfter(mark));
        const wanted = segments.flatMap((segment) => numbersOf(segment, stride));
        expect(chain.left).toBe(wanted.length);
        expect(wanted.map(() => chain.next())).toEqual(wanted);
        expect(() => chain.next()).toThrow('empty');
        expect([chain.left, chain.issued]).toEqual([0, wanted.length]);
      }),
    );
  });

  it('gives out exactly what it has not issued', () => {
    fc.assert(
      fc.property(segmentsOf(3), fc.nat(100), (segments, used) => {
        const chain = chainOf(segments, 3);
        const all = segments.flatMap((segment) => numbersOf(segment, 3));
        const issued = all.slice(0, used).map(() => chain.next());
        const rests = chain.drain();
        expect([...issued, ...rests.flatMap((rest) => numbersOf(rest, 3))]).toEqual(all);
        expect(chain.issued).toBe(issued.length);
        expect(() => chain.next()).toThrow('empty');
        const tokens = [...chain.drainFinished(), ...rests].map(({ token }) => token);
        expect(tokens).toEqual(segments.map(({ token }) => token));
      }),
    );
  });

  it('issues many or none', () => {
    const chain = chainOf([
      { token: 'a', first: 1, count: 3 },
      { token: 'b', first: 10, count: 2 },
    ]);
    expect(() => chain.nextMany(6)).toThrow('empty');
    expect(chain.nextMany(4)).toEqual([1, 2, 3, 10]);
    expect(() => chain.nextMany(2)).toThrow('empty');
    expect(chain.nextMany(1)).toEqual([11]);
    expect(chain.nextMany(0)).toEqual([]);
  });

  it('calls for a check at its mark, at the end of a segment, and when it is empty', () => {
    const checks: number[] = [];
    const chain: SegmentChain = chainOf(
      [
        { token: 'a', first: 0, count: 10 },
        { token: 'b', first: 50, count: 3 },
      ],
      1,
      () => checks.push(chain.issued),
    );
    chain.next();
    expect(checks).toEqual([1]);
    chain.checkAfter(4);
    for (let issued = 1; issued < 13; issued++) chain.next();
    expect(checks).toEqual([1, 6, 11]);
    expect(() => chain.next()).toThrow('empty');
    expect(checks).toEqual([1, 6, 11, 13]);
  });

  it('shows what is at hand', () => {
    const chain = chainOf([
      { token: 'a', first: 0, count: 10 },
      { token: 'b', first: 50, count: 3 },
    ]);
    expect(chain.view()).toEqual({ left: 13, leftOfCurrent: 0, sizeOfCurrent: 0, waiting: 2 });
    expect(chain.highest).toBe(52);
    chain.nextMany(4);
    expect(chain.view()).toEqual({ left: 9, leftOfCurrent: 6, sizeOfCurrent: 10, waiting: 1 });
    chain.nextMany(7);
    expect(chain.drainFinished()).toEqual([{ token: 'a', first: 10, count: 0 }]);
    expect(chain.drainFinished()).toEqual([]);
  });
});

const MINUTE_MS = 60_000;
const bounds = { outageMs: 10 * MINUTE_MS, minStep: 1000, maxStep: 10_000_000, maxHeld: 100_000_000 };

function view(given: Partial<StepView>): StepView {
  const rest = { left: 0, leftOfCurrent: 0, sizeOfCurrent: 0, waiting: 0 };
  return { ...rest, perMs: 0, nowMs: 0, tableStep: 1000, isStarved: false, ...given };
}

describe('the rule by time [promise: segments]', () => {
  it('claims its least step at first, then at most twice the last size', () => {
    const rule = timeRule(bounds);
    const sizes: number[] = [];
    let left = 0;
    for (let size = rule.claimSize(view({ left, perMs: 1 })); size > 0;) {
      sizes.push(size);
      left += size;
      rule.granted(size, 0);
      size = rule.claimSize(view({ left, perMs: 1 }));
    }
    expect(sizes.slice(0, 4)).toEqual([1000, 2000, 4000, 8000]);
    expect(left).toBeGreaterThanOrEqual(1.1 * bounds.outageMs);
    expect(left).toBeLessThanOrEqual(1.25 * bounds.outageMs + bounds.minStep);
  });

  it('grows quickly while calls find no number, without a measured rate', () => {
    const rule = timeRule({ ...bounds, minStep: 50 });
    const sizes = [0, 1, 2, 3, 4].map(() => {
      const size = rule.claimSize(view({ left: 0, isStarved: true }));
      rule.granted(size, 0);
      return size;
    });
    expect(sizes).toEqual([50, 1000, 20_000, 20_000, 20_000]);
    expect(rule.claimSize(view({ left: 0 }))).toBe(50);
  });

  it('shrinks at once when the rate falls', () => {
    const rule = timeRule(bounds);
    rule.granted(1_000_000, 0);
    expect(rule.claimSize(view({ left: 0, perMs: 0.001 }))).toBe(1000);
  });

  it('keeps to its bounds at every rate', () => {
    const positive = fc.double({ min: 0, max: 1e6, noNaN: true });
    fc.assert(
      fc.property(positive, fc.nat(200_000_000), fc.nat(50_000_000), (perMs, left, last) => {
        const rule = timeRule(bounds);
        rule.granted(last, 0);
        const size = rule.claimSize(view({ left, perMs }));
        expect(Number.isSafeInteger(size)).toBe(true);
        expect(size).toBeLessThanOrEqual(Math.max(bounds.minStep, Math.min(2 * last, bounds.maxStep)));
        if (size > 0) expect(left + size).toBeLessThanOrEqual(bounds.maxHeld);
        if (left < perMs * bounds.outageMs && left < bounds.maxHeld) expect(size).toBeGreaterThan(0);
      }),
    );
  });

  it('lets a crash lose no more than maxHeld', () => {
    const rule = timeRule({ ...bounds, maxHeld: 5000 });
    rule.granted(1_000_000, 0);
    expect(rule.claimSize(view({ left: 0, perMs: 1000 }))).toBe(5000);
    expect(rule.claimSize(view({ left: 4900, perMs: 1000 }))).toBe(100);
    expect(rule.claimSize(view({ left: 5000, perMs: 1000 }))).toBe(0);
  });

  it('needs less than a claim a minute at 100,000 numbers a second', () => {
    const rule = timeRule(bounds);
    const perMs = 100;
    let left = 1.25 * perMs * bounds.outageMs;
    let claims = 0;
    rule.granted(8_000_000, 0);
    for (let second = 0; second < 3600; second++) {
      left -= 1000 * perMs;
      const size = rule.claimSize(view({ left, perMs }));
      if (size === 0) continue;
      claims += 1;
      left += size;
      rule.granted(size, 0);
      // An outage of ten minutes that begins now.
      expect(left).toBeGreaterThanOrEqual(perMs * bounds.outageMs);
    }
    expect(claims).toBeLessThan(60);
  });
});

describe("Leaf's rule [promise: segments]", () => {
  it('claims the second segment when a tenth of the first is used', () => {
    const rule = leafRule();
    expect(rule.claimSize(view({}))).toBe(1000);
    const fresh = { left: 1000, leftOfCurrent: 1000, sizeOfCurrent: 1000 };
    expect(rule.claimSize(view(fresh))).toBe(0);
    expect(rule.checkAfter(view(fresh))).toBe(100);
    expect(rule.claimSize(view({ ...fresh, leftOfCurrent: 900 }))).toBe(1000);
    expect(rule.claimSize(view({ ...fresh, leftOfCurrent: 900, waiting: 1 }))).toBe(0);
  });

  it.each([
    [14, 8000],
    [15, 4000],
    [29, 4000],
    [30, 2000],
  ])('makes of a step of 4000 that lasted %i minutes one of %i', (minutes, wanted) => {
    const rule = leafRule();
    for (const size of [1000, 4000]) rule.granted(size, 0);
    expect(rule.claimSize(view({ nowMs: minutes * MINUTE_MS }))).toBe(wanted);
  });

  it('stays within the step of the table and 1,000,000', () => {
    const rule = leafRule();
    for (const size of [1000, 600_000]) rule.granted(size, 0);
    expect(rule.claimSize(view({ nowMs: 0 }))).toBe(600_000);
    rule.granted(1500, 0);
    expect(rule.claimSize(view({ nowMs: 60 * MINUTE_MS }))).toBe(1000);
  });
});

describe('a fixed step [promise: segments]', () => {
  it('keeps a fixed step the same', () => {
    const rule = fixedRule(50);
    expect(rule.claimSize(view({ perMs: 1000 }))).toBe(50);
    expect(rule.claimSize(view({ leftOfCurrent: 46, sizeOfCurrent: 50 }))).toBe(0);
    expect(rule.checkAfter(view({ leftOfCurrent: 50, sizeOfCurrent: 50 }))).toBe(5);
    expect(rule.claimSize(view({ leftOfCurrent: 45, sizeOfCurrent: 50 }))).toBe(50);
  });
});

describe('the rate meter', () => {
  /** Issues evenly until `untilMs`. */
  function steady(meter: RateMeter, perMs: number, fromMs: number, untilMs: number, before = 0): void {
    for (let atMs = fromMs; atMs <= untilMs; atMs += 1000) meter.read(before + perMs * (atMs - fromMs), atMs);
  }

  it('follows an even rate within minutes, and its end too', () => {
    const meter = new RateMeter();
    steady(meter, 1, 0, 60_000);
    expect(meter.perMs).toBeGreaterThan(0.6);
    expect(meter.perMs).toBeLessThan(0.7);
    steady(meter, 1, 60_000, 300_000, 60_000);
    expect(meter.perMs).toBeGreaterThan(0.98);
    steady(meter, 0, 300_000, 600_000, 300_000);
    expect(meter.perMs).toBeLessThan(0.01);
  });

  it('counts a few numbers at once as what they are for a minute, not for a moment', () => {
    const meter = new RateMeter();
    meter.read(0, 0);
    meter.read(3, 100);
    expect(meter.perMs * 60_000).toBeCloseTo(3, 1);
  });

  it('adds up readings that come close together', () => {
    const meter = new RateMeter();
    meter.read(0, 0);
    for (let issued = 1; issued < 100; issued++) meter.read(issued, 1);
    expect(meter.perMs).toBe(0);
    meter.read(100, 100);
    expect(meter.perMs * 60_000).toBeCloseTo(100, 0);
  });

  it('survives a clock that steps', () => {
    const meter = new RateMeter();
    steady(meter, 1, 10_000_000, 10_600_000);
    const before = meter.perMs;
    meter.read(601_000, 0);
    expect(meter.perMs).toBe(before);
    meter.read(602_000, 1000);
    expect(meter.perMs).toBeCloseTo(1);
    meter.read(603_000, 86_400_000);
    expect(meter.perMs).toBeGreaterThan(0.8);
    expect(meter.perMs).toBeLessThanOrEqual(1);
  });
});

describe('the writer of decimals', () => {
  it('writes what String() writes, whatever it wrote before', () => {
    const near = fc
      .tuple(fc.maxSafeNat(), fc.integer({ min: -3, max: 3 }))
      .map(([number, off]) => number - (number % 1000) + off)
      .filter((number) => number >= 0 && number <= Number.MAX_SAFE_INTEGER);
    const numbers = fc.oneof(fc.maxSafeNat(), fc.nat(5000), near, fc.constant(Number.MAX_SAFE_INTEGER));
    fc.assert(
      fc.property(fc.array(numbers, { maxLength: 20 }), (all) => {
        const writer = new DecimalWriter();
        expect(all.map((number) => writer.write(number))).toEqual(all.map(String));
      }),
    );
  });

  it('writes ascending numbers', () => {
    const writer = new DecimalWriter();
    for (const first of [0, 2 ** 31 - 2000, Number.MAX_SAFE_INTEGER - 4000]) {
      const numbers = Array.from({ length: 4000 }, (_, index) => first + index);
      expect(numbers.filter((number) => writer.write(number) !== String(number))).toEqual([]);
    }
  });
});
