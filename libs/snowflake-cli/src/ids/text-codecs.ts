import { Option } from 'commander';
import { type BitLayout, type IdCodec, InvalidIdError, prefixedCodec } from 'nestjs-snowflake/core';
import { isPrefix } from 'nestjs-snowflake/internal/core/codecs/prefixed-codec';
import { CODEC_NAMES, type CodecName, codecNamed } from 'nestjs-snowflake/internal/core/codecs/text-codecs';

/** Forms that only one codec writes, so that they need no `--codec`. */
const DISTINCT_FORMS: readonly { readonly form: RegExp; readonly codec: CodecName }[] = [
  { form: /^\d{8}T\d{9}-/, codec: 'readable' },
  { form: /^0\d{18}$/, codec: 'sortable-decimal' },
];

/** A decimal ID, a form that only one codec writes, or anything after a prefix. */
const DETECTABLE = /^\d+$|^\d{8}T|_/;

const PREFIX_REMEDY = 'A prefix consists of lower-case letters, digits and underscores, such as ord_.';

/** Returns the option that names a codec. */
export function codecOption(description: string): Option {
  return new Option('--codec <name>', description).choices(CODEC_NAMES);
}

/** Reads IDs in the form of a codec, with a prefix such as `ord_` or without. */
export class IdReader {
  /** @param codec detected from the form of each ID if undefined: decimal, or base 62 after a prefix, unless the form is distinct */
  constructor(
    private readonly layout: BitLayout,
    private readonly codec: CodecName | undefined,
  ) {}

  /** Returns the ID as a decimal string. @throws InvalidIdError */
  read(text: string): string {
    if (this.codec === undefined && !DETECTABLE.test(text)) {
      throw new InvalidIdError(text, 'is not decimal', 'Set --codec to the codec that wrote it.');
    }
    const end = text.lastIndexOf('_');
    const inner = this.codecOf(text.slice(end + 1), end < 0 ? 'decimal' : 'base62');
    if (end < 0) return inner.decode(text);
    const prefix = text.slice(0, end);
    if (!isPrefix(prefix))
      throw new InvalidIdError(text, 'has no valid prefix before its last _', PREFIX_REMEDY);
    return prefixedCodec(prefix, inner).decode(text);
  }

  private codecOf(text: string, usual: CodecName): IdCodec<string> {
    const name = this.codec ?? DISTINCT_FORMS.find(({ form }) => form.test(text))?.codec ?? usual;
    const codec = codecNamed(name, this.layout);
    return text.length < codec.encode('0').length ? codecNamed(name, this.layout, false) : codec;
  }
}
