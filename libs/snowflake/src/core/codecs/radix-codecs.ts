import { checkedOptions, flag, type OptionRules } from '../options/option-rule.js';
import { Alphabet, BASE62_DIGITS } from './alphabet.js';
import type { IdCodec } from './id-codec.js';
import { positionalCodec } from './positional-codec.js';

/** Options of the codecs that can write short or padded strings. */
export interface PaddingOptions {
  /**
   * Whether zeros pad all strings to the same length. Unpadded strings are shorter, but don't sort by ID.
   *
   * @defaultValue `true`
   */
  padded?: boolean;
}

export const PADDING_OPTIONS = { padded: flag().or(true) } satisfies OptionRules<PaddingOptions>;

const DECIMAL = new Alphabet('0123456789');
const HEX = new Alphabet('0123456789abcdef');
const BASE36 = new Alphabet('0123456789abcdefghijklmnopqrstuvwxyz');
const BASE62 = new Alphabet(BASE62_DIGITS);
const CROCKFORD_DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const CROCKFORD = new Alphabet(CROCKFORD_DIGITS, crockfordAliases());

/**
 * Returns a codec that writes decimal digits, as `nextId()` does: `382475217496248322`. 1 to 19 characters; doesn't
 * preserve order.
 */
export function decimalCodec(): IdCodec<string> {
  return positionalCodec(DECIMAL, false);
}

/**
 * Returns a codec that writes decimal digits padded with zeros: `0382475217496248322`. 19 characters; preserves order.
 */
export function sortableDecimalCodec(): IdCodec<string> {
  return positionalCodec(DECIMAL, true);
}

/** Returns a codec that writes lower-case hexadecimal digits: `054ed32f12411002`. 16 characters; preserves order. */
export function hexCodec(): IdCodec<string> {
  return positionalCodec(HEX, true);
}

/**
 * Returns a codec that writes digits and lower-case letters. 13 characters, or 1 to 13 unpadded; preserves order if
 * padded.
 *
 * With {@link base32Codec}, the shortest form that stays unambiguous where case is ignored.
 *
 * @throws InvalidOptionError if an option is unknown or invalid
 */
export function base36Codec(options: PaddingOptions = {}): IdCodec<string> {
  return positionalCodec(BASE36, isPadded(options));
}

/**
 * Returns a codec that writes digits, upper-case and lower-case letters, in ASCII order. 11 characters, or 1 to 11
 * unpadded; preserves order if padded.
 *
 * The shortest form that needs no escaping anywhere. A database column for it needs a case-sensitive collation, such as
 * `COLLATE "C"` or `ascii_bin`.
 *
 * @throws InvalidOptionError if an option is unknown or invalid
 */
export function base62Codec(options: PaddingOptions = {}): IdCodec<string> {
  return positionalCodec(BASE62, isPadded(options));
}

/**
 * Returns a codec for strings that people read aloud and type: Douglas Crockford's Base 32, with digits and upper-case
 * letters without I, L, O and U. 13 characters, or 1 to 13 unpadded; preserves order if padded.
 *
 * As Crockford specifies, it reads more than one string per ID: lower case, I and L as 1, and O as 0. It supports
 * neither hyphens nor check symbols. Decode strings from outside before you compare them.
 *
 * @see https://www.crockford.com/base32.html
 * @throws InvalidOptionError if an option is unknown or invalid
 */
export function base32Codec(options: PaddingOptions = {}): IdCodec<string> {
  return positionalCodec(CROCKFORD, isPadded(options));
}

function isPadded(options: PaddingOptions): boolean {
  return checkedOptions('options', options, PADDING_OPTIONS).padded;
}

function crockfordAliases(): Record<string, string> {
  const lowerCase = [...CROCKFORD_DIGITS].map((digit) => [digit.toLowerCase(), digit]);
  return { ...Object.fromEntries(lowerCase), I: '1', i: '1', L: '1', l: '1', O: '0', o: '0' };
}
