import { base62Codec, type IdCodec } from '../core/codecs/index.js';
import { requireText } from '../core/codecs/encoded-text.js';
import { codecOf, requireCodec } from '../core/codecs/id-codec.js';
import { InvalidIdError, InvalidOptionError, MAX_ID, requireOptions } from '../core/index.js';
import type { IdCipher } from './id-cipher.js';
import { kindOf, type KeyedCiphers, type ObfuscationKeys, requireKeys } from './obfuscation-keys.js';

export type { ObfuscationKeys } from './obfuscation-keys.js';

/** Options of {@link obfuscatingCodec}. */
export interface ObfuscatingCodecOptions {
  /**
   * The secret keys by version, 0 to 9. A key is 32 random bytes, or the 64 hexadecimal digits of them
   * (`openssl rand -hex 32`). Versions stay listed for as long as texts of theirs are to be read.
   */
  keys: ObfuscationKeys;
  /** The version that encodes. */
  current: number;
  /**
   * How the obfuscated number is written behind the version digit. All its texts must have one length. Default
   * `base62Codec()`: 12 characters with the version digit.
   */
  text?: IdCodec<string>;
}

const OPTIONS = { keys: true, current: true, text: true } satisfies Record<
  keyof ObfuscatingCodecOptions,
  true
>;

/**
 * Public texts for IDs that tell outsiders neither when a row was made nor how many there are: a version digit, and
 * the ID encrypted to another number of 63 bits.
 *
 * The cipher is FF1 of NIST SP 800-38G with AES-256 over 63 bits, an exact permutation of all IDs: each ID has one
 * text under a key, and each text of the right form is the text of one ID. So nothing is stored, and a text that
 * somebody made up decodes to an ID as well, most likely one that no row has. This hides; it neither proves where a
 * text came from nor who may see the row. One key is for one namespace: in two, equal IDs get equal texts. A call
 * takes about 0.2 ms.
 *
 * To rotate: add a key under a new version and let all processes have it; then make it `current`; remove the old one
 * when no text of it is in use any more. The same ID has another text under another version.
 *
 * @throws InvalidOptionError for a missing, short, guessable or repeated key, never showing it
 */
export function obfuscatingCodec(options: ObfuscatingCodecOptions): IdCodec<string> {
  requireOptions('options', options, OPTIONS);
  const ciphers = requireKeys(options.keys);
  const { version, cipher } = requireCurrent(options.current, ciphers);
  const text = requireFixedLength(requireCodec('text', options.text ?? base62Codec()));
  return codecOf({
    preservesOrder: false,
    write: (id) => version + text.encode(cipher.encrypt(id)),
    read: (encoded) => readObfuscated(encoded, ciphers, text),
  });
}

function readObfuscated(encoded: unknown, ciphers: KeyedCiphers, text: IdCodec<string>): bigint {
  const remedy = 'Pass a text that encode() wrote, under a key that is still listed.';
  const whole = requireText(encoded, remedy);
  const version = whole.charAt(0);
  const cipher = ciphers.get(version);
  if (cipher === undefined) {
    const known = [...ciphers.keys()].join(', ');
    throw new InvalidIdError(whole, `does not begin with the version of a key (${known})`, remedy);
  }
  try {
    return cipher.decrypt(text.decodeBigInt(whole.slice(1)));
  } catch (error) {
    if (!(error instanceof InvalidIdError)) throw error;
    throw new InvalidIdError(whole, `has a rest, after its version, that ${error.problem}`, error.remedy);
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

/** A shorter text for some IDs would be a text that looks special, and a column that is too narrow for others. */
function requireFixedLength(text: IdCodec<string>): IdCodec<string> {
  if (text.encode(0n).length === text.encode(MAX_ID).length) return text;
  throw new InvalidOptionError(
    'text',
    text,
    'gives texts of several lengths',
    'Use a padded codec, such as base62Codec().',
  );
}
