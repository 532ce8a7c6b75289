import fc from 'fast-check';
import { type Segment, SegmentChain } from './segment-chain.js';

const empty = (): Error => new Error('empty');

function chainOf(
  segments: readonly Segment[],
  stride = 1,
  onLook: () => void = () => undefined,
): SegmentChain {
  const chain = new SegmentChain(stride, onLook, empty);
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
        const chain = chainOf(segments, stride, () => chain.lookAfter(mark));
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
        const tokens = [...chain.takeFinished(), ...rests].map(({ token }) => token);
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

  it('looks at its mark, at the end of a segment, and when it is empty', () => {
    const looks: number[] = [];
    const chain: SegmentChain = chainOf(
      [
        { token: 'a', first: 0, count: 10 },
        { token: 'b', first: 50, count: 3 },
      ],
      1,
      () => looks.push(chain.issued),
    );
    chain.next();
    expect(looks).toEqual([1]);
    chain.lookAfter(4);
    for (let issued = 1; issued < 13; issued++) chain.next();
    expect(looks).toEqual([1, 6, 11]);
    expect(() => chain.next()).toThrow('empty');
    expect(looks).toEqual([1, 6, 11, 13]);
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
    expect(chain.takeFinished()).toEqual([{ token: 'a', first: 10, count: 0 }]);
    expect(chain.takeFinished()).toEqual([]);
  });
});
