import { InvalidIdError, InvalidOptionError } from '../errors/input-errors.js';
import { requireText } from './encoded-text.js';
import { codecOf, type IdCodec, requireCodec } from './id-codec.js';
import { base62Codec } from './radix-codecs.js';

const SEPARATOR = '_';
/** The prefix of TypeID 0.3, with digits allowed as well. */
const PREFIX = /^[a-z](?:[a-z0-9_]{0,61}[a-z0-9])?$/;

/** The type of an ID with a prefix: `PrefixedId<'ord'>` is any string that begins with `ord_`. A prefix that is not a literal gives `string`. */
export type PrefixedId<Prefix extends string> = string extends Prefix ? string : `${Prefix}_${string}`;

/** A codec of IDs with a prefix. The compiler keeps the IDs of different prefixes apart. */
export interface PrefixedCodec<Prefix extends string> extends IdCodec<PrefixedId<Prefix>> {
  /** Returns whether `decode` accepts the value, so that the compiler takes it for an ID with this prefix. */
  is(value: unknown): value is PrefixedId<Prefix>;
}

/** Returns whether {@link prefixedCodec} accepts the prefix. */
export function isPrefix(prefix: unknown): prefix is string {
  return typeof prefix === 'string' && PREFIX.test(prefix);
}

/**
 * Returns a codec that writes a prefix for the type of the object, an underscore, and the string of another codec:
 * `ord_0SFjugjHF10`.
 *
 * Preserves order if the inner codec does. The idea of type prefixes is Stripe's; the form of the prefix is TypeID's
 * (https://github.com/jetify-com/typeid).
 *
 * @param prefix 1 to 63 lower-case letters, digits and underscores; starts with a letter and doesn't end with an
 * underscore
 * @param inner default {@link base62Codec}
 * @throws InvalidOptionError if `prefix` has another form, or `inner` isn't a codec
 * @example
 * ```ts
 * const orderIds = prefixedCodec('ord');
 * orderIds.encode('382475217496248322'); // 'ord_0SFjugjHF10'
 * orderIds.decode('ord_0SFjugjHF10'); // '382475217496248322'
 * orderIds.decode('cus_0SFjugjHF10'); // refused by the compiler, and by an InvalidIdError
 * if (orderIds.is(text)) orderIds.decode(text); // for a text from outside
 * ```
 */
export function prefixedCodec<const Prefix extends string>(
  prefix: Prefix,
  inner: IdCodec<string> = base62Codec(),
): PrefixedCodec<Prefix> {
  if (!isPrefix(prefix)) {
    throw new InvalidOptionError(
      'prefix',
      prefix,
      'is not a valid prefix',
      "Use 1 to 63 lower-case letters, digits and underscores, from a letter to a letter or digit, such as 'ord'.",
    );
  }
  requireCodec('inner', inner);
  const head = `${prefix}${SEPARATOR}` as const;
  const read = (encoded: unknown): bigint => {
    const remedy = `Pass a string from encode(), which starts with ${head}`;
    const text = requireText(encoded, `${remedy}.`);
    if (!text.startsWith(head)) throw new InvalidIdError(text, `doesn't start with ${head}`, `${remedy}.`);
    try {
      return inner.decodeBigInt(text.slice(head.length));
    } catch (error) {
      if (!(error instanceof InvalidIdError)) throw error;
      throw new InvalidIdError(text, `has a part after ${head} that ${error.problem}`, error.remedy);
    }
  };
  const write = (id: bigint) => `${head}${inner.encode(id)}` as PrefixedId<Prefix>;
  const pattern = inner.pattern?.replace('^', `^${head}`);
  const codec = codecOf({ preservesOrder: inner.preservesOrder, ...(pattern && { pattern }), write, read });
  const is = (value: unknown): value is PrefixedId<Prefix> => {
    try {
      return read(value) >= 0n;
    } catch (error) {
      if (error instanceof InvalidIdError) return false;
      throw error;
    }
  };
  return Object.freeze({ ...codec, is });
}
