import { centsToDecimal, DECIMAL_AMOUNT, decimalToCents } from './money.js';

describe('money', () => {
  it.each([
    ['0', 0, '0.00'],
    ['0.05', 5, '0.05'],
    ['0.29', 29, '0.29'],
    ['19.9', 1990, '19.90'],
    ['9999999.99', 999_999_999, '9999999.99'],
  ])('keeps %s exactly', (amount, cents, shown) => {
    expect(amount).toMatch(DECIMAL_AMOUNT);
    expect(decimalToCents(amount)).toBe(cents);
    expect(centsToDecimal(cents)).toBe(shown);
  });

  it.each(['', '-1', '1.', '.5', '1.005', '1e3', '10000000', ' 1', '1,5', 'NaN', '1\n'])(
    'refuses the amount %j',
    (amount) => {
      expect(amount).not.toMatch(DECIMAL_AMOUNT);
    },
  );
});
