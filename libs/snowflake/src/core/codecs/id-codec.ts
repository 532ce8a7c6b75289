import { InvalidOptionError } from '../errors.js';
import { WordsReader } from '../id-words.js';

/**
 * Writes IDs in another form, and reads that form back. Stateless and immutable.
 *
 * Strict: of all texts (or bytes) only the one that `encode` writes is read back, unless the codec says otherwise.
 * So an encoded ID can be compared, cached and looked up as it is.
 */
export interface IdCodec<Encoded> {
  /**
   * Whether encoded IDs sort as the IDs do: texts by their characters (`<` in JavaScript, `COLLATE "C"` in a
   * database), bytes one by one.
   */
  readonly preservesOrder: boolean;

  /**
   * @param id decimal string or bigint
   * @throws InvalidIdError when it is none, or the form cannot show it
   */
  encode(id: string | bigint): Encoded;

  /**
   * Reads an ID, as the decimal string that `nextId()` gave.
   *
   * @throws InvalidIdError on everything that `encode` does not write
   */
  decode(encoded: Encoded): string;

  /**
   * Reads an ID, as the bigint that `nextBigInt()` gave.
   *
   * @throws InvalidIdError on everything that `encode` does not write
   */
  decodeBigInt(encoded: Encoded): bigint;
}

/** The two directions of a codec, between bigints. */
export interface CodecDirections<Encoded> {
  readonly preservesOrder: boolean;
  /** @param id within 63 bits */
  write(id: bigint): Encoded;
  /** @param encoded whatever a caller passed: its type is not checked yet. @throws InvalidIdError */
  read(encoded: unknown): bigint;
}

/** Makes a codec of its two directions: what all codecs have in common is how they take and give IDs. */
export function codecOf<Encoded>({
  preservesOrder,
  write,
  read,
}: CodecDirections<Encoded>): IdCodec<Encoded> {
  const words = new WordsReader();
  return Object.freeze({
    preservesOrder,
    encode: (id: string | bigint) => {
      words.read(id);
      return write(BigInt(id));
    },
    decode: (encoded: Encoded) => read(encoded).toString(),
    decodeBigInt: (encoded: Encoded) => read(encoded),
  });
}

/** Returns `value` if it is a codec. @throws InvalidOptionError */
export function requireCodec(option: string, value: IdCodec<string>): IdCodec<string> {
  if (typeof value?.encode === 'function' && typeof value.decodeBigInt === 'function') return value;
  throw new InvalidOptionError(
    option,
    value,
    'is not a codec',
    'Use a codec that writes strings, such as base62Codec().',
  );
}
