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
const MAX_ID_DECIMAL = MAX_ID.toString();

const ZERO = 48;
const NINE = 57;
/** Digits that fit a number exactly and leave at most 10 digits above them in a 19-digit ID. */
const LOW_DIGITS = 9;
const LOW_DIGITS_VALUE = 1e9;

/**
 * Reads an ID strictly: decimal digits without sign, space, leading zero or exponent, or a bigint, within 63 bits.
 *
 * @throws InvalidIdError
 */
export function wordsOf(id: string | bigint): IdWords {
  if (typeof id === 'string') return decimalWords(id);
  if (typeof id === 'bigint') return bigIntWords(id);
  throw new InvalidIdError(
    id,
    `is of type ${id === null ? 'null' : typeof id}`,
    typeof id === 'number'
      ? 'A number cannot hold 64 bits exactly; pass the decimal string that nextId() returned.'
      : undefined,
  );
}

function bigIntWords(id: bigint): IdWords {
  if (id < 0n) throw new InvalidIdError(id, 'is negative');
  if (id > MAX_ID) throw new InvalidIdError(id, 'is beyond 63 bits');
  scratchIds[0] = id;
  return { high: scratchWords[HIGH_HALF]!, low: scratchWords[LOW_HALF]! };
}

const scratchIds = new BigUint64Array(1);
const scratchWords = new Uint32Array(scratchIds.buffer);

function decimalWords(id: string): IdWords {
  const length = id.length;
  if (length === 0) throw new InvalidIdError(id, 'is empty');
  if (length > MAX_ID_DECIMAL.length) throw new InvalidIdError(id, 'is too long');
  if (length > 1 && id.charCodeAt(0) === ZERO) throw new InvalidIdError(id, 'has a leading zero');
  const split = Math.max(0, length - LOW_DIGITS);
  const top = digits(id, 0, split);
  const bottom = digits(id, split, length);
  if (length === MAX_ID_DECIMAL.length && id > MAX_ID_DECIMAL)
    throw new InvalidIdError(id, 'is beyond 63 bits');
  return joinDecimalParts(top, bottom);
}

function digits(id: string, from: number, to: number): number {
  let value = 0;
  for (let at = from; at < to; at++) {
    const code = id.charCodeAt(at);
    if (code < ZERO || code > NINE) throw new InvalidIdError(id, 'has a character that is no decimal digit');
    value = value * 10 + (code - ZERO);
  }
  return value;
}

/**
 * `top * 10^9 + bottom` as two words. The product passes 2^53, so `top` (below 2^34) is taken in two parts of 17
 * bits whose products are exact.
 */
function joinDecimalParts(top: number, bottom: number): IdWords {
  const HALF = 2 ** 17;
  const upper = Math.floor(top / HALF) * LOW_DIGITS_VALUE;
  const rest = (upper % 2 ** 15) * HALF + (top % HALF) * LOW_DIGITS_VALUE + bottom;
  return { high: Math.floor(upper / 2 ** 15) + Math.floor(rest / WORD), low: rest % WORD };
}

/** Value of the field of `bits` bits that stands `shift` bits above the bottom of an ID. */
export function fieldOf({ high, low }: IdWords, shift: number, bits: number): number {
  if (bits === 0) return 0;
  if (shift >= 32) return (high >>> (shift - 32)) % 2 ** bits;
  // Only the part of the high half that belongs to the field: all of it could pass 2^53.
  const highPart = high % 2 ** Math.max(0, shift + bits - 32);
  return (highPart * 2 ** (32 - shift) + (low >>> shift)) % 2 ** bits;
}
