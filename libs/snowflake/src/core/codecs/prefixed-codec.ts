import { InvalidIdError, InvalidOptionError } from '../errors.js';
import { requireText } from './encoded-text.js';
import { codecOf, type IdCodec, requireCodec } from './id-codec.js';
import { base62Codec } from './radix-codecs.js';

const SEPARATOR = '_';
/** The same as in TypeID 0.3, and digits. */
const PREFIX = /^[a-z](?:[a-z0-9_]{0,61}[a-z0-9])?$/;

/**
 * A prefix that names the kind of thing, an underscore, and the text of another codec: `ord_0SFjugjHF10`.
 *
 * Preserves order if the inner codec does. The idea of a kind in front is Stripe's; the form of the prefix that of
 * TypeID (https://github.com/jetify-com/typeid).
 *
 * @param prefix 1 to 63 lower-case letters, digits and underscores; begins with a letter, ends with no underscore
 * @param inner default {@link base62Codec}
 * @throws InvalidOptionError
 */
export function prefixedCodec(prefix: string, inner: IdCodec<string> = base62Codec()): IdCodec<string> {
  if (typeof prefix !== 'string' || !PREFIX.test(prefix)) {
    throw new InvalidOptionError(
      'prefix',
      prefix,
      'is no prefix',
      "Use 1 to 63 lower-case letters, digits and underscores, from a letter to a letter or digit: 'ord'.",
    );
  }
  requireCodec('inner', inner);
  const head = prefix + SEPARATOR;
  const read = (encoded: unknown): bigint => {
    const remedy = `Pass a text that encode() wrote: it begins with ${head}`;
    const text = requireText(encoded, `${remedy}.`);
    if (!text.startsWith(head)) throw new InvalidIdError(text, `does not begin with ${head}`, `${remedy}.`);
    try {
      return inner.decodeBigInt(text.slice(head.length));
    } catch (error) {
      if (!(error instanceof InvalidIdError)) throw error;
      throw new InvalidIdError(text, `has a rest, after ${head}, that ${error.problem}`, error.remedy);
    }
  };
  const write = (id: bigint): string => head + inner.encode(id);
  return codecOf({ preservesOrder: inner.preservesOrder, write, read });
}
