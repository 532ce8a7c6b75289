import { InvalidIdError } from '../errors/input-errors.js';

/** 2^32, the number of values of one word. */
export const WORD = 2 ** 32;

/** Index of the less significant 32-bit half of a 64-bit array element; depends on the machine's byte order. */
export const LOW_HALF = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1 ? 0 : 1;
export const HIGH_HALF = 1 - LOW_HALF;

/** An ID as two unsigned 32-bit halves, which JavaScript numbers hold exactly. */
export interface IdWords {
  readonly high: number;
  readonly low: number;
}

/** The largest ID: 2^63 - 1, the largest value of a signed 64-bit column. */
export const MAX_ID = 2n ** 63n - 1n;
const MAX_ID_DIGITS = 19;

const ZERO = 48;
/** High words from here on have the sign bit set. */
const SIGN = 2 ** 31;

/** Reads IDs into its own two words, which the next read overwrites, so a decoder produces no garbage. */
export class WordsReader {
  private readonly ids = new BigUint64Array(1);
  private readonly words = new Uint32Array(this.ids.buffer);

  constructor() {
    Object.freeze(this);
  }

  /**
   * Reads an ID strictly: decimal digits without sign, space, leading zero or exponent, or a bigint, within 63 bits.
   *
   * @returns the words at {@link HIGH_HALF} and {@link LOW_HALF}
   * @throws InvalidIdError
   */
  read(id: string | bigint): Uint32Array {
    if (typeof id === 'string') return readDecimal(id, this.words);
    if (typeof id !== 'bigint') throw wrongType(id);
    // The hot functions leave the making of errors to others: V8 weighs how long a function is before it inlines it.
    if (id < 0n || id > MAX_ID) throw outOfRange(id);
    this.ids[0] = id;
    return this.words;
  }
}

/** Reads an ID as {@link WordsReader.read} does. @throws InvalidIdError */
export function wordsOf(id: string | bigint): IdWords {
  const words = new WordsReader().read(id);
  return { high: words[HIGH_HALF]!, low: words[LOW_HALF]! };
}

/**
 * Computes the value twice in one pass, because a number can't hold all 63 bits: `about` as a rounded double, and `low`
 * modulo 2^32, which 32-bit multiplication keeps exact. `about - low` differs from a multiple of 2^32 only by the
 * double's rounding error, less than 2^14, so the quotient rounded to the nearest whole number is the high word.
 */
function readDecimal(id: string, words: Uint32Array): Uint32Array {
  const { length } = id;
  const first = id.charCodeAt(0) ^ ZERO;
  if (first > 9 || length > MAX_ID_DIGITS || (first === 0 && length > 1)) throw wrongForm(id);
  // Two digits at a time save every second multiplication; an odd number of digits starts with a single one.
  let at = length % 2;
  let low = at === 0 ? 0 : first;
  let about = low;
  for (; at < length; at += 2) {
    const tens = id.charCodeAt(at) ^ ZERO;
    const ones = id.charCodeAt(at + 1) ^ ZERO;
    if (tens > 9 || ones > 9) throw wrongForm(id);
    const pair = tens * 10 + ones;
    about = about * 100 + pair;
    low = (Math.imul(low, 100) + pair) | 0;
  }
  // The array drops the fraction and stores a negative integer as the unsigned word with the same bits.
  const high = (about - (low >>> 0)) / WORD + 0.5;
  if (high >= SIGN) throw outOfRange(id);
  words[HIGH_HALF] = high;
  words[LOW_HALF] = low;
  return words;
}

function wrongType(id: unknown): InvalidIdError {
  const hint = "A number can't hold 64 bits exactly. Pass the decimal string that nextId() returned.";
  const type = id === null ? 'null' : typeof id;
  return new InvalidIdError(id, `is of type ${type}`, type === 'number' ? hint : undefined);
}

function outOfRange(id: string | bigint): InvalidIdError {
  return new InvalidIdError(id, typeof id === 'bigint' && id < 0n ? 'is negative' : 'exceeds 63 bits');
}

function wrongForm(id: string): InvalidIdError {
  if (id.length === 0) return new InvalidIdError(id, 'is empty');
  if (id.length > MAX_ID_DIGITS) return new InvalidIdError(id, 'is too long');
  if (/^0\d/.test(id)) return new InvalidIdError(id, 'has a leading zero');
  return new InvalidIdError(id, 'contains a character other than decimal digits');
}
