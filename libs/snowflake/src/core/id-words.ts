import { InvalidIdError } from './errors.js';

/** 2^32: one word's worth. */
export const WORD = 2 ** 32;

/** Index of the less significant 32-bit half of a 64-bit array element on this machine. */
export const LOW_HALF = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1 ? 0 : 1;
export const HIGH_HALF = 1 - LOW_HALF;

/** An ID as two unsigned 32-bit halves, which JavaScript numbers hold exactly. */
export interface IdWords {
  readonly high: number;
  readonly low: number;
}

/** Largest ID: 2^63 - 1, the largest value of a signed 64-bit column. */
export const MAX_ID = 2n ** 63n - 1n;
const MAX_ID_DIGITS = 19;

const ZERO = 48;
/** Half the range of a word: a high word from here on has the sign bit set. */
const SIGN = 2 ** 31;
const BEYOND = 'is beyond 63 bits';
/** So many digits fit a 32-bit integer. */
const CHUNK_DIGITS = 8;
const CHUNK = 1e8;

const sharedIds = new BigUint64Array(1);
const sharedWords = new Uint32Array(sharedIds.buffer);

/**
 * Reads an ID strictly: decimal digits without sign, space, leading zero or exponent, or a bigint, within 63 bits.
 *
 * @throws InvalidIdError
 */
export function wordsOf(id: string | bigint): IdWords {
  const words = sharedWordsOf(id);
  return { high: words[HIGH_HALF]!, low: words[LOW_HALF]! };
}

/** As {@link wordsOf}, into words that the next call overwrites. */
export function sharedWordsOf(id: string | bigint): Uint32Array {
  if (typeof id === 'string') return decimalWords(id);
  if (typeof id === 'bigint') return bigIntWords(id);
  throw wrongType(id);
}

// The hot functions leave the making of errors to others: V8 weighs how long a function is before it inlines it.

function bigIntWords(id: bigint): Uint32Array {
  if (id < 0n || id > MAX_ID) throw new InvalidIdError(id, id < 0n ? 'is negative' : BEYOND);
  sharedIds[0] = id;
  return sharedWords;
}

function decimalWords(id: string): Uint32Array {
  const { length } = id;
  if (length === 0 || length > MAX_ID_DIGITS || (id.charCodeAt(0) === ZERO && length > 1))
    throw wrongForm(id);
  const text = length < 2 * CHUNK_DIGITS ? id.padStart(2 * CHUNK_DIGITS, '0') : id;
  if (!readDigits(text)) throw wrongForm(id);
  if (sharedWords[HIGH_HALF]! >= SIGN) throw new InvalidIdError(id, BEYOND);
  return sharedWords;
}

/**
 * Reads 16 to 19 digits; false when one is none.
 *
 * Why no loop: no digit waits for the one before it, and the function is too long for V8 to inline it. Inlined, it made
 * `decode` of a bigint, which does not come here at all, twice as slow.
 */
function readDigits(text: string): boolean {
  const head = text.length - 2 * CHUNK_DIGITS;
  let first = 0;
  for (let at = 0; at < head; at++) {
    const digit = text.charCodeAt(at) - ZERO;
    if (digit >>> 0 > 9) return false;
    first = first * 10 + digit;
  }
  const a = text.charCodeAt(head) - ZERO;
  const b = text.charCodeAt(head + 1) - ZERO;
  const c = text.charCodeAt(head + 2) - ZERO;
  const d = text.charCodeAt(head + 3) - ZERO;
  const e = text.charCodeAt(head + 4) - ZERO;
  const f = text.charCodeAt(head + 5) - ZERO;
  const g = text.charCodeAt(head + 6) - ZERO;
  const h = text.charCodeAt(head + 7) - ZERO;
  const i = text.charCodeAt(head + 8) - ZERO;
  const j = text.charCodeAt(head + 9) - ZERO;
  const k = text.charCodeAt(head + 10) - ZERO;
  const l = text.charCodeAt(head + 11) - ZERO;
  const m = text.charCodeAt(head + 12) - ZERO;
  const n = text.charCodeAt(head + 13) - ZERO;
  const o = text.charCodeAt(head + 14) - ZERO;
  const p = text.charCodeAt(head + 15) - ZERO;
  if (a >>> 0 > 9 || b >>> 0 > 9 || c >>> 0 > 9 || d >>> 0 > 9) return false;
  if (e >>> 0 > 9 || f >>> 0 > 9 || g >>> 0 > 9 || h >>> 0 > 9) return false;
  if (i >>> 0 > 9 || j >>> 0 > 9 || k >>> 0 > 9 || l >>> 0 > 9) return false;
  if (m >>> 0 > 9 || n >>> 0 > 9 || o >>> 0 > 9 || p >>> 0 > 9) return false;
  const second = (a * 10 + b) * 1_000_000 + (c * 10 + d) * 10_000 + (e * 10 + f) * 100 + (g * 10 + h);
  const third = (i * 10 + j) * 1_000_000 + (k * 10 + l) * 10_000 + (m * 10 + n) * 100 + (o * 10 + p);
  joinChunks(first * CHUNK + second, third);
  return true;
}

function wrongType(id: unknown): InvalidIdError {
  const hint = 'A number cannot hold 64 bits exactly; pass the decimal string that nextId() returned.';
  const type = id === null ? 'null' : typeof id;
  return new InvalidIdError(id, `is of type ${type}`, type === 'number' ? hint : undefined);
}

function wrongForm(id: string): InvalidIdError {
  if (id.length === 0) return new InvalidIdError(id, 'is empty');
  if (id.length > MAX_ID_DIGITS) return new InvalidIdError(id, 'is too long');
  if (/^0\d/.test(id)) return new InvalidIdError(id, 'has a leading zero');
  return new InvalidIdError(id, 'has a character that is no decimal digit');
}

/**
 * `upper * 10^8 + lower` as two words. The product passes 2^53, so `upper` (below 2^37) is taken in two parts of
 * which each product is exact. (`& 0xffff` is the remainder of 2^16, without a floating-point division.)
 */
function joinChunks(upper: number, lower: number): void {
  const upperPart = Math.floor(upper / 2 ** 16) * CHUNK;
  const rest = (upperPart & 0xffff) * 2 ** 16 + (upper & 0xffff) * CHUNK + lower;
  sharedWords[HIGH_HALF] = Math.floor(upperPart / 2 ** 16) + Math.floor(rest / WORD);
  sharedWords[LOW_HALF] = rest;
}
