import { WORD } from './id-words.js';

const LIMB_DIGITS = 4;
/** What {@link LIMB_DIGITS} decimal digits count up to. */
const LIMB = 10_000;
const TWO_LIMBS = LIMB * LIMB;
const THREE_LIMBS = TWO_LIMBS * LIMB;
const ZERO = 48;
/** The character codes of `0000` to `9999`, one after the other. */
const LIMB_CODES = Uint8Array.from({ length: LIMB * LIMB_DIGITS }, (_, at) => {
  const divisor = 10 ** (LIMB_DIGITS - 1 - (at % LIMB_DIGITS));
  return ZERO + (Math.floor(at / LIMB_DIGITS / divisor) % 10);
});

/** As a length: 1 to 17, which go a slower way. */
const FEWER = 17;

/** Four decimal digits as character codes. Fields and no array, whose every element V8 checks for being there. */
class Limb {
  a = ZERO;
  b = ZERO;
  c = ZERO;
  d = ZERO;

  /** @param value below {@link LIMB} */
  write(value: number): void {
    const at = value * LIMB_DIGITS;
    this.a = LIMB_CODES[at]!;
    this.b = LIMB_CODES[at + 1]!;
    this.c = LIMB_CODES[at + 2]!;
    this.d = LIMB_CODES[at + 3]!;
  }
}

/**
 * Writes an ID that is stepped in place as a decimal string.
 *
 * What it does instead of `bigint.toString()`, and what that buys: an ID differs from the one before it in the last
 * digits only. So the leading digits are kept as character codes, the last four are looked up in a table, and
 * `String.fromCharCode` makes the string in one piece, without a division. (`leading + tail` would be quicker to
 * say, but V8 answers it with a rope, and whoever reads the string first pays for that several times over.)
 */
export class DecimalDigits {
  /** All digits but the last four, most significant first. 63 bits have 15 of them. */
  private readonly first = new Limb();
  private readonly second = new Limb();
  private readonly third = new Limb();
  private readonly fourth = new Limb();
  /** What the first two say. */
  private upper = 0;
  /**
   * The words of the ID from which on the first two are right, for {@link THREE_LIMBS} IDs: a few minutes. The low word is
   * below 0 where that ID has another high word.
   */
  private upperHigh = 0;
  private upperLow = Number.NaN;
  /** How many digits an ID has. */
  private length = FEWER;
  /** The codes of an ID of {@link FEWER} digits. */
  private codes: number[] = [];
  /**
   * The leading digits are right from this low word on, for 10,000 of them. Below 0 where that begins under another
   * high word: taken modulo 2^32 it would stand for the last low words under this one. NaN: they have to be found first.
   */
  private limbStart = Number.NaN;

  /** Must be called when the ID was moved elsewhere, and not just on. */
  forget(): void {
    this.limbStart = Number.NaN;
  }

  /**
   * The decimal digits of the ID of these two words.
   *
   * @param high the same one as at the last call, or {@link forget} was called
   */
  read(high: number, low: number): string {
    const tail = (low >>> 0) - this.limbStart;
    if (tail >= 0 && tail < LIMB) {
      // The lengths that the common layouts have today, or will have for decades.
      if (this.length === 18) return this.eighteenDigits((tail | 0) * LIMB_DIGITS);
      if (this.length === 19) return this.nineteenDigits((tail | 0) * LIMB_DIGITS);
      return this.fewerDigits(tail);
    }
    this.renewLeading(high, low >>> 0);
    return this.read(high, low);
  }

  // Arguments one by one, here and below: to spread an array costs as much again.
  private eighteenDigits(at: number): string {
    const { first, second, third, fourth } = this;
    return String.fromCharCode(
      first.c,
      first.d,
      second.a,
      second.b,
      second.c,
      second.d,
      third.a,
      third.b,
      third.c,
      third.d,
      fourth.a,
      fourth.b,
      fourth.c,
      fourth.d,
      LIMB_CODES[at]!,
      LIMB_CODES[at + 1]!,
      LIMB_CODES[at + 2]!,
      LIMB_CODES[at + 3]!,
    );
  }

  private nineteenDigits(at: number): string {
    const { first, second, third, fourth } = this;
    return String.fromCharCode(
      first.b,
      first.c,
      first.d,
      second.a,
      second.b,
      second.c,
      second.d,
      third.a,
      third.b,
      third.c,
      third.d,
      fourth.a,
      fourth.b,
      fourth.c,
      fourth.d,
      LIMB_CODES[at]!,
      LIMB_CODES[at + 1]!,
      LIMB_CODES[at + 2]!,
      LIMB_CODES[at + 3]!,
    );
  }

  /** An ID of few bits, or of a layout's first months. */
  private fewerDigits(tail: number): string {
    const { codes } = this;
    if (codes.length === 0) return String(tail);
    const from = tail * LIMB_DIGITS;
    for (let digit = 0; digit < LIMB_DIGITS; digit++) {
      codes[codes.length - LIMB_DIGITS + digit] = LIMB_CODES[from + digit]!;
    }
    return String.fromCharCode(...codes);
  }

  private renewLeading(high: number, low: number): void {
    let rest = (high - this.upperHigh) * WORD + low - this.upperLow;
    if (!(rest >= 0 && rest < THREE_LIMBS)) rest = this.renewUpper(high, low);
    const lower = Math.floor(rest / LIMB);
    this.limbStart = low - (rest - lower * LIMB);
    if (this.length === FEWER) {
      this.codes = fewerCodes(this.upper * TWO_LIMBS + lower);
      return;
    }
    const third = (lower / LIMB) | 0;
    this.third.write(third);
    this.fourth.write(lower - third * LIMB);
  }

  /** @returns what the ID has below the first two limbs */
  private renewUpper(high: number, low: number): number {
    // high * 2^32 + low passes 2^53, so it is divided in two parts that do not.
    const highQuotient = Math.floor(high / LIMB);
    const highRest = (high - highQuotient * LIMB) * WORD + low;
    const leading = highQuotient * WORD + Math.floor(highRest / LIMB);
    const upper = Math.floor(leading / TWO_LIMBS);
    const rest = (leading - upper * TWO_LIMBS) * LIMB + (highRest % LIMB);
    const first = (upper / LIMB) | 0;
    this.first.write(first);
    this.second.write(upper - first * LIMB);
    this.upper = upper;
    this.upperHigh = high;
    this.upperLow = low - rest;
    this.length = leading >= 1e14 ? 19 : leading >= 1e13 ? 18 : FEWER;
    return rest;
  }
}

/** @param leading all digits but the last four, of which an ID below 10,000 has none */
function fewerCodes(leading: number): number[] {
  return leading === 0 ? [] : Array.from(`${leading}0000`, (digit) => digit.charCodeAt(0));
}
