import { InvalidOptionError } from '../errors/input-errors.js';
import { WordsReader } from '../ids/id-words.js';

/**
 * Converts IDs to another form and back. Stateless and immutable.
 *
 * Unless the codec says otherwise, an ID has exactly one encoded form: `decode` rejects everything that `encode`
 * doesn't write. So you can compare, cache and look up encoded IDs without decoding them.
 */
export interface IdCodec<Encoded> {
  /**
   * Whether encoded IDs sort in the order of the IDs: strings by their characters (`<` in JavaScript, `COLLATE "C"` in
   * a database), byte arrays byte by byte.
   */
  readonly preservesOrder: boolean;

  /**
   * A regular expression that matches every encoded ID, for API descriptions. Not every text that it matches is an encoded ID: use
   * {@link decode} to check one. Absent for byte arrays, and for codecs that don't declare it.
   */
  readonly pattern?: string;

  /**
   * Converts an ID to the encoded form.
   *
   * @param id decimal string or bigint
   * @throws InvalidIdError if `id` isn't a valid ID, or the form can't represent it
   */
  encode(id: string | bigint): Encoded;

  /**
   * Converts an encoded ID to a decimal string, as `nextId()` returns it.
   *
   * @throws InvalidIdError on everything that `encode` doesn't write
   */
  decode(encoded: Encoded): string;

  /**
   * Converts an encoded ID to a bigint, as `nextBigInt()` returns it.
   *
   * @throws InvalidIdError on everything that `encode` doesn't write
   */
  decodeBigInt(encoded: Encoded): bigint;
}

/** The two directions of a codec: from and to bigints. */
export interface CodecDirections<Encoded> {
  readonly preservesOrder: boolean;
  readonly pattern?: string;
  /** @param id within 63 bits */
  write(id: bigint): Encoded;
  /** @param encoded any value that a caller passed, of unchecked type @throws InvalidIdError */
  read(encoded: unknown): bigint;
}

/** Returns a codec made of its two directions. Adds what all codecs share: validating and converting IDs. */
export function codecOf<Encoded>({
  preservesOrder,
  pattern,
  write,
  read,
}: CodecDirections<Encoded>): IdCodec<Encoded> {
  const words = new WordsReader();
  return Object.freeze({
    preservesOrder,
    ...(pattern !== undefined && { pattern }),
    encode: (id: string | bigint) => {
      words.read(id);
      return write(BigInt(id));
    },
    decode: (encoded: Encoded) => read(encoded).toString(),
    decodeBigInt: (encoded: Encoded) => read(encoded),
  });
}

/** Returns `value` if it has the methods of a codec. @throws InvalidOptionError */
export function requireCodec(option: string, value: IdCodec<string>): IdCodec<string> {
  if (typeof value?.encode === 'function' && typeof value.decodeBigInt === 'function') return value;
  throw new InvalidOptionError(
    option,
    value,
    'must be a codec',
    'Use a codec that writes strings, such as base62Codec().',
  );
}
