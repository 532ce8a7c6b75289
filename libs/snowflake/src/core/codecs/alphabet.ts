/** The ASCII digits and letters in ascending order. */
export const BASE62_DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const NO_DIGIT = -1;

/** Maps values to the digits of a positional notation, and characters to values. */
export class Alphabet {
  private readonly valueOfCode: Int8Array;

  /**
   * @param digits ASCII characters in ascending order, so that strings of equal length sort by value
   * @param aliases characters that are read as the given digit, but never written
   */
  constructor(
    readonly digits: string,
    aliases: Readonly<Record<string, string>> = {},
  ) {
    this.valueOfCode = new Int8Array(128).fill(NO_DIGIT);
    for (const [value, digit] of [...digits].entries()) this.valueOfCode[digit.charCodeAt(0)] = value;
    for (const [alias, digit] of Object.entries(aliases)) {
      this.valueOfCode[alias.charCodeAt(0)] = digits.indexOf(digit);
    }
  }

  get radix(): number {
    return this.digits.length;
  }

  /** Returns the digit of a value below the radix. */
  digitOf(value: number): string {
    return this.digits.charAt(value);
  }

  /** Returns the value of the character at index `at`, or `undefined` if it isn't a digit. */
  valueAt(text: string, at: number): number | undefined {
    const value = this.valueOfCode[text.charCodeAt(at)];
    return value === NO_DIGIT ? undefined : value;
  }
}
