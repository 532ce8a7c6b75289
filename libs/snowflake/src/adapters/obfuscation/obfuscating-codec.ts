import { base62Codec } from '../../core/codecs/radix-codecs.js';
import { type IdCodec, codecOf, requireCodec } from '../../core/codecs/id-codec.js';
import { requireText } from '../../core/codecs/encoded-text.js';
import { InvalidIdError, InvalidOptionError } from '../../core/errors/input-errors.js';
import { MAX_ID } from '../../core/ids/id-words.js';
import { checkedBy, checkedOptions, type OptionRule, unchecked } from '../../core/options/option-rule.js';
import type { IdCipher } from './id-cipher.js';
import { kindOf, type KeyedCiphers, type ObfuscationKeys, requireKeys } from './obfuscation-keys.js';

export type { ObfuscationKeys } from './obfuscation-keys.js';

/** Options of {@link obfuscatingCodec}. */
export interface ObfuscatingCodecOptions {
  /**
   * The secret keys by version.
   * Bounds: versions 0 to 9; a key is 32 random bytes, or their 64 hexadecimal digits.
   *
   * `openssl rand -hex 32` prints a new key. Keep a version as long as its strings must be readable.
   */
  keys: ObfuscationKeys;
  /**
   * The version whose key encodes.
   * Bounds: a version of `keys`.
   */
  current: number;
  /**
   * Codec for the encrypted number. The default results in 12 characters, including the version digit.
   * Bounds: a codec whose strings all have one length.
   *
   * @defaultValue `base62Codec()`
   */
  text?: IdCodec<string>;
}

const OPTIONS = {
  keys: checkedBy((_, keys) => requireKeys(keys)),
  current: unchecked<number>(),
  text: checkedBy((option, text) => requireFixedLength(requireCodec(option, text as IdCodec<string>))).or(
    base62Codec(),
  ),
} satisfies Record<keyof ObfuscatingCodecOptions, OptionRule<unknown>>;

/**
 * Returns a codec for public IDs that hide when a row was created and how many rows exist. A string consists of a version
 * digit and the ID, encrypted to another 63-bit number.
 *
 * The cipher is FF1 of NIST SP 800-38G with AES-256 over 63 bits, an exact permutation of all IDs: under a key each ID has
 * one string, and each well-formed string decodes to one ID. Nothing is stored. Any well-formed string decodes, so keep
 * your authorization checks. Use each key in one namespace only: in two namespaces, equal IDs would get equal strings. A call
 * takes about 0.2 ms.
 *
 * To rotate keys, add a key under a new version and deploy it to all processes. Then make it `current`, and remove the old
 * key when none of its strings is in use. An ID has a different string under each version.
 *
 * @throws InvalidOptionError for a missing, short, guessable or repeated key; the error never shows the key
 * @example
 * ```ts
 * const codec = obfuscatingCodec({ keys: { 1: config.getOrThrow('ID_KEY_1') }, current: 1 });
 * const publicId = codec.encode('382475217496248322'); // 12 characters, the first of which is the version 1
 * codec.decode(publicId); // '382475217496248322'
 * ```
 */
export function obfuscatingCodec(options: ObfuscatingCodecOptions): IdCodec<string> {
  const { keys: ciphers, current, text } = checkedOptions('options', options, OPTIONS);
  const { version, cipher } = requireCurrent(current, ciphers);
  const pattern = text.pattern?.replace('^', `^[${[...ciphers.keys()].join('')}]`);
  return codecOf({
    preservesOrder: false,
    ...(pattern && { pattern }),
    write: (id) => version + text.encode(cipher.encrypt(id)),
    read: (encoded) => readObfuscated(encoded, ciphers, text),
  });
}

function readObfuscated(encoded: unknown, ciphers: KeyedCiphers, text: IdCodec<string>): bigint {
  const remedy = 'Pass a string from encode() whose key is still listed.';
  const whole = requireText(encoded, remedy);
  const version = whole.charAt(0);
  const cipher = ciphers.get(version);
  if (cipher === undefined) {
    const known = [...ciphers.keys()].join(', ');
    throw new InvalidIdError(whole, `doesn't start with the version of a key (${known})`, remedy);
  }
  try {
    return cipher.decrypt(text.decodeBigInt(whole.slice(1)));
  } catch (error) {
    if (!(error instanceof InvalidIdError)) throw error;
    throw new InvalidIdError(whole, `has a part after its version that ${error.problem}`, error.remedy);
  }
}

function requireCurrent(current: unknown, ciphers: KeyedCiphers): { version: string; cipher: IdCipher } {
  const version = typeof current === 'number' ? String(current) : '';
  const cipher = ciphers.get(version);
  if (cipher !== undefined) return { version, cipher };
  throw new InvalidOptionError(
    'current',
    typeof current === 'string' ? kindOf(current) : current,
    'is not the version of a key',
    `Use one of ${[...ciphers.keys()].join(', ')}.`,
  );
}

/** Shorter strings for some IDs would reveal small numbers, and overflow columns sized by them. */
function requireFixedLength(text: IdCodec<string>): IdCodec<string> {
  if (text.encode(0n).length === text.encode(MAX_ID).length) return text;
  throw new InvalidOptionError(
    'text',
    text,
    'writes strings of several lengths',
    'Use a padded codec, such as base62Codec().',
  );
}
