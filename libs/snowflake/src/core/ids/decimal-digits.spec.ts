import { DecimalDigits } from './decimal-digits.js';

/** High words of IDs with 18, 19 and fewer digits. */
const HIGH_WORDS = [89_000_000, 900_000_000, 1_000];

describe('the decimal digits of two words', () => {
  it.each(HIGH_WORDS)('gives a low word exactly after a higher one, under the high word %d', (high) => {
    const digits = new DecimalDigits();
    for (const low of [4_000_000_000, 25_000, 3, 4_294_967_295, 0]) {
      expect(digits.read(high, low)).toBe(String((BigInt(high) << 32n) + BigInt(low)));
    }
  });
});
