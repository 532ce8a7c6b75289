import { requireBoolean, requireOptions } from '../option-checks.js';
import { Alphabet, BASE62_DIGITS } from './alphabet.js';
import type { IdCodec } from './id-codec.js';
import { positionalCodec } from './positional-codec.js';

/** Options of the codecs that can write short or padded texts. */
export interface PaddingOptions {
  /**
   * Whether all texts have the same length, filled up with zeros. Without it, texts are as short as can be, and do
   * not sort by ID. Default `true`.
   */
  padded?: boolean;
}

const PADDING_OPTIONS = { padded: true } satisfies Record<keyof PaddingOptions, true>;

const DECIMAL = new Alphabet('0123456789');
const HEX = new Alphabet('0123456789abcdef');
const BASE36 = new Alphabet('0123456789abcdefghijklmnopqrstuvwxyz');
const BASE62 = new Alphabet(BASE62_DIGITS);
const CROCKFORD_DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const CROCKFORD = new Alphabet(CROCKFORD_DIGITS, crockfordAliases());

/** Decimal digits, as `nextId()` gives them: `382475217496248322`. 1 to 19 characters; does not preserve order. */
export function decimalCodec(): IdCodec<string> {
  return positionalCodec(DECIMAL, false);
}

/** Decimal digits filled up with zeros: `0382475217496248322`. 19 characters; preserves order. */
export function sortableDecimalCodec(): IdCodec<string> {
  return positionalCodec(DECIMAL, true);
}

/** Hexadecimal digits, lower case: `054ed32f12411002`. 16 characters; preserves order. */
export function hexCodec(): IdCodec<string> {
  return positionalCodec(HEX, true);
}

/**
 * Digits and lower-case letters. 13 characters, or 1 to 13 unpadded; preserves order if padded.
 *
 * The shortest form that a store or a user who ignores case cannot confuse, next to {@link base32Codec}.
 *
 * @throws InvalidOptionError
 */
export function base36Codec(options: PaddingOptions = {}): IdCodec<string> {
  return positionalCodec(BASE36, isPadded(options));
}

/**
 * Digits, upper-case and lower-case letters, in the order of ASCII. 11 characters, or 1 to 11 unpadded; preserves
 * order if padded.
 *
 * The shortest form that needs no escaping anywhere. A database column for it needs a collation that tells upper
 * from lower case: `COLLATE "C"`, `ascii_bin`.
 *
 * @throws InvalidOptionError
 */
export function base62Codec(options: PaddingOptions = {}): IdCodec<string> {
  return positionalCodec(BASE62, isPadded(options));
}

/**
 * Douglas Crockford's Base 32, for texts that people read out and type in: digits and upper-case letters without I, L,
 * O and U. 13 characters, or 1 to 13 unpadded; preserves order if padded.
 *
 * The one codec that reads more than one text per ID, as Crockford's specification wants it: lower case, I and L for
 * 1, O for 0. Neither hyphens nor a check symbol are read or written. To compare texts that came from outside, decode
 * them first.
 *
 * @see https://www.crockford.com/base32.html
 * @throws InvalidOptionError
 */
export function base32Codec(options: PaddingOptions = {}): IdCodec<string> {
  return positionalCodec(CROCKFORD, isPadded(options));
}

function isPadded(options: PaddingOptions): boolean {
  requireOptions('options', options, PADDING_OPTIONS);
  return requireBoolean('padded', options.padded ?? true);
}

function crockfordAliases(): Record<string, string> {
  const lowerCase = [...CROCKFORD_DIGITS].map((digit) => [digit.toLowerCase(), digit]);
  return { ...Object.fromEntries(lowerCase), I: '1', i: '1', L: '1', l: '1', O: '0', o: '0' };
}
