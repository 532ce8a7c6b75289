/** Decimal amounts with at most two decimals, e.g. `12`, `12.5`, `9999999.99`. */
export const DECIMAL_AMOUNT = /^\d{1,7}(\.\d{1,2})?$/;

/** Converts `'12.5'` to 1250. Works on the digits, because floating-point arithmetic would round amounts. */
export function decimalToCents(amount: string): number {
  const [whole = '', fraction = ''] = amount.split('.');
  return Number(whole + fraction.padEnd(2, '0'));
}

/** Converts 1250 to `'12.50'`. */
export function centsToDecimal(cents: number): string {
  const digits = String(cents).padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
