import { HIGH_HALF, LOW_HALF, WORD } from './id-words.js';

/** V8 looks an imported constant up at each use, and folds one of the same module. */
const LOW = LOW_HALF;
const HIGH = HIGH_HALF;

const LIMB_DIGITS = 4;
/** What {@link LIMB_DIGITS} decimal digits count up to. */
const LIMB = 10_000;
const ZERO = 48;
/** The character codes of `0000` to `9999`, one after the other. */
const LIMB_CODES = Uint8Array.from({ length: LIMB * LIMB_DIGITS }, (_, at) => {
  const divisor = 10 ** (LIMB_DIGITS - 1 - (at % LIMB_DIGITS));
  return ZERO + (Math.floor(at / LIMB_DIGITS / divisor) % 10);
});

/** Places for leading digits, a whole number of limbs: 63 bits have 15 of them. */
const MAX_LEADING = 16;
/** As a count of leading digits: not known yet. */
const UNKNOWN = -1;

/**
 * Writes an ID that is stepped in place as a decimal string.
 *
 * What it does instead of `bigint.toString()`, and what that buys: an ID differs from the one before it in the last
 * digits only. So the leading digits are kept as character codes, the last four are looked up in a table, and
 * `String.fromCharCode` makes the string in one piece, without a division. (`leading + tail` would be quicker to
 * say, but V8 answers it with a rope, and whoever reads the string first pays for that several times over.)
 */
export class DecimalDigits {
  /** Character codes of the leading digits, all but the last four, right-aligned. */
  private readonly leading = Array.from({ length: MAX_LEADING }, () => ZERO);
  private leadingCount = UNKNOWN;
  /** What the first half of the leading digits says: it changes every few minutes only. */
  private upper = 0;
  /** The leading digits are right for this low word and the 9,999 after it. Modulo 2^32. */
  private limbStart = 0;

  /** @param halves the words of the ID */
  constructor(private readonly halves: Uint32Array) {}

  /** Must be called when the ID was moved elsewhere, and not just on. */
  forget(): void {
    this.leadingCount = UNKNOWN;
  }

  /** The decimal digits of the ID. */
  read(): string {
    let tail = (this.halves[LOW]! - this.limbStart) >>> 0;
    if (tail >= LIMB || this.leadingCount === UNKNOWN) tail = this.renewLeading();
    // The lengths that the common layouts have today, or will have for decades.
    if (this.leadingCount === 14) return this.eighteenDigits(tail * LIMB_DIGITS);
    if (this.leadingCount === 15) return this.nineteenDigits(tail * LIMB_DIGITS);
    return this.otherDigits(tail);
  }

  // Arguments one by one, here and below: to spread an array costs as much again.
  private eighteenDigits(at: number): string {
    const c = this.leading;
    return String.fromCharCode(
      c[2]!,
      c[3]!,
      c[4]!,
      c[5]!,
      c[6]!,
      c[7]!,
      c[8]!,
      c[9]!,
      c[10]!,
      c[11]!,
      c[12]!,
      c[13]!,
      c[14]!,
      c[15]!,
      LIMB_CODES[at]!,
      LIMB_CODES[at + 1]!,
      LIMB_CODES[at + 2]!,
      LIMB_CODES[at + 3]!,
    );
  }

  private nineteenDigits(at: number): string {
    const c = this.leading;
    return String.fromCharCode(
      c[1]!,
      c[2]!,
      c[3]!,
      c[4]!,
      c[5]!,
      c[6]!,
      c[7]!,
      c[8]!,
      c[9]!,
      c[10]!,
      c[11]!,
      c[12]!,
      c[13]!,
      c[14]!,
      c[15]!,
      LIMB_CODES[at]!,
      LIMB_CODES[at + 1]!,
      LIMB_CODES[at + 2]!,
      LIMB_CODES[at + 3]!,
    );
  }

  private otherDigits(tail: number): string {
    if (this.leadingCount === 0) return String(tail);
    const codes = this.leading.slice(MAX_LEADING - this.leadingCount);
    return String.fromCharCode(...codes) + String(tail).padStart(LIMB_DIGITS, '0');
  }

  /** @returns the value of the last four digits */
  private renewLeading(): number {
    const high = this.halves[HIGH]!;
    const low = this.halves[LOW]!;
    // high * 2^32 + low passes 2^53, so it is divided in two parts that do not.
    const highQuotient = Math.floor(high / LIMB);
    const rest = (high - highQuotient * LIMB) * WORD + low;
    const restQuotient = Math.floor(rest / LIMB);
    const tail = rest - restQuotient * LIMB;
    const leading = highQuotient * WORD + restQuotient;
    const upper = Math.floor(leading / (LIMB * LIMB));
    if (upper !== this.upper) this.writeTwoLimbs(0, upper);
    this.upper = upper;
    this.writeTwoLimbs(2 * LIMB_DIGITS, leading - upper * (LIMB * LIMB));
    let count = MAX_LEADING;
    while (count > 0 && this.leading[MAX_LEADING - count] === ZERO) count--;
    this.leadingCount = count;
    this.limbStart = (low - tail) | 0;
    return tail;
  }

  private writeTwoLimbs(at: number, value: number): void {
    const upper = (value / LIMB) | 0;
    this.writeLimb(at, upper);
    this.writeLimb(at + LIMB_DIGITS, value - upper * LIMB);
  }

  private writeLimb(at: number, value: number): void {
    const { leading } = this;
    const from = value * LIMB_DIGITS;
    leading[at] = LIMB_CODES[from]!;
    leading[at + 1] = LIMB_CODES[from + 1]!;
    leading[at + 2] = LIMB_CODES[from + 2]!;
    leading[at + 3] = LIMB_CODES[from + 3]!;
  }
}
