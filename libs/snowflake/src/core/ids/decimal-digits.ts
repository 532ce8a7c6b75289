import { WORD } from './id-words.js';

const LIMB_DIGITS = 4;
/** Number of values that {@link LIMB_DIGITS} decimal digits can hold. */
const LIMB = 10_000;
const TWO_LIMBS = LIMB * LIMB;
const THREE_LIMBS = TWO_LIMBS * LIMB;
const ZERO = 48;
/** Character codes of `0000` to `9999`, concatenated. */
const LIMB_CODES = limbCodes();

/** Means any length from 1 to 17 digits, which take the slower path. */
const FEWER = 17;

/** Four decimal digits as character codes. Uses fields because V8 checks each array element for holes. */
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
 * Formats consecutive IDs as decimal strings, faster than `bigint.toString()`.
 *
 * An ID usually differs from the previous one in its last digits only. So the leading digits are cached as character
 * codes, the last four come from a table, and `String.fromCharCode` builds a flat string without a division. (V8 turns
 * `leading + tail` into a rope, which costs several times as much when the string is first read.)
 */
export class DecimalDigits {
  /** All digits but the last four, most significant first: at most 15 for 63 bits. */
  private readonly first = new Limb();
  private readonly second = new Limb();
  private readonly third = new Limb();
  private readonly fourth = new Limb();
  /** The value of the first two limbs. */
  private upper = 0;
  /**
   * The words of the first ID with these first two limbs, which hold for {@link THREE_LIMBS} IDs: a few minutes. The
   * low word is negative if that ID has another high word.
   */
  private upperHigh = 0;
  private upperLow = Number.NaN;
  /** Number of digits of the ID; {@link FEWER} for 1 to 17. */
  private length = FEWER;
  /** Character codes of an ID of {@link FEWER} digits. */
  private codes: number[] = [];
  /**
   * First low word that the cached leading digits hold for; they hold for 10,000 of them. Negative if that range begins
   * under another high word, because a value modulo 2^32 would wrongly match the last low words under this one. NaN if
   * nothing is cached.
   */
  private limbStart = Number.NaN;

  /** Clears the cache. Must be called before {@link read} gets another high word. */
  forget(): void {
    this.limbStart = Number.NaN;
  }

  /**
   * Returns the decimal digits of an ID given as two words.
   *
   * @param high same value as in the last call, unless {@link forget} was called in between
   */
  read(high: number, low: number): string {
    const tail = (low >>> 0) - this.limbStart;
    if (tail >= 0 && tail < LIMB) {
      // Common layouts have IDs of 18 or 19 digits, now and for decades.
      if (this.length === 18) return this.eighteenDigits((tail | 0) * LIMB_DIGITS);
      if (this.length === 19) return this.nineteenDigits((tail | 0) * LIMB_DIGITS);
      return this.fewerDigits(tail);
    }
    this.renewLeading(high, low >>> 0);
    return this.read(high, low);
  }

  // The arguments are passed one by one, here and below: spreading an array would double the cost.
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

  /** Formats IDs of narrow layouts, and those of a layout's first months. */
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

  /** @returns the value of the ID's digits below the first two limbs */
  private renewUpper(high: number, low: number): number {
    // high * 2^32 + low can exceed 2^53, so it is divided in two parts that can't.
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

/** @param leading the value of all digits but the last four; 0 for an ID below 10,000 */
function fewerCodes(leading: number): number[] {
  return leading === 0 ? [] : Array.from(`${leading}0000`, (digit) => digit.charCodeAt(0));
}

function limbCodes(): Uint8Array {
  const codes = new Uint8Array(LIMB * LIMB_DIGITS);
  let at = 0;
  for (let value = 0; value < LIMB; value++) {
    for (let divisor = LIMB / 10; divisor >= 1; divisor /= 10)
      codes[at++] = ZERO + (Math.floor(value / divisor) % 10);
  }
  return codes;
}
