/**
 * Reads one field out of the two 32-bit words of an ID.
 *
 * A field lies in the low word, in the high word, or across both. The constructor computes its masks and shifts, so
 * that reading takes the same few integer operations in each case.
 */
export class FieldReader {
  private readonly highMask: number;
  private readonly highShift: number;
  /** Multiplier of the part in the high word. Not a shift, because the value of a field can exceed 32 bits. */
  private readonly highFactor: number;
  private readonly lowMask: number;
  private readonly lowShift: number;

  /**
   * @param shift distance of the field from the least significant bit, 0 to 62
   * @param bits width of the field, 0 to 53
   */
  constructor(shift: number, bits: number) {
    const lowBits = Math.max(0, Math.min(32, shift + bits) - shift);
    this.lowShift = shift % 32;
    this.lowMask = bitsOf(lowBits) << this.lowShift;
    this.highShift = Math.max(0, shift - 32);
    this.highMask = bitsOf(bits - lowBits) << this.highShift;
    this.highFactor = 2 ** lowBits;
    Object.freeze(this);
  }

  /** @param high below 2^31 @param low below 2^32 */
  read(high: number, low: number): number {
    return (
      ((high & this.highMask) >>> this.highShift) * this.highFactor + ((low & this.lowMask) >>> this.lowShift)
    );
  }
}

/** Returns a 32-bit integer whose lowest `count` bits are ones. */
function bitsOf(count: number): number {
  return count === 32 ? -1 : (1 << count) - 1;
}
