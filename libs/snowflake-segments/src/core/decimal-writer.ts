const THOUSAND = 1000;
const LOW_DIGITS: readonly string[] = Array.from({ length: THOUSAND }, (_, low) =>
  String(low).padStart(3, '0'),
);

/**
 * Writes whole numbers in decimal. Keeps the digits in front of the last three, because V8 needs ten times as long for a
 * number above 2^31.
 */
export class DecimalWriter {
  /** The multiple of 1,000 that `front` belongs to. */
  private base = 0;
  private front = '';

  /** Returns what `String(number)` returns. Bounds: 0 to 2^53 - 1. */
  write(number: number): string {
    if (number < THOUSAND) return String(number);
    let low = number - this.base;
    if (low < 0 || low >= THOUSAND) {
      low = number % THOUSAND;
      this.base = number - low;
      this.front = String(this.base / THOUSAND);
    }
    return this.front + LOW_DIGITS[low]!;
  }
}
