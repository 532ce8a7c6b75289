import fc from 'fast-check';
import { DecimalWriter } from './decimal-writer.js';

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
