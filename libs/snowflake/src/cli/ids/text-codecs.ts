import { Option } from 'commander';
import {
  base32Codec,
  base36Codec,
  base62Codec,
  decimalCodec,
  hexCodec,
  type IdCodec,
  prefixedCodec,
  readableCodec,
  sortableDecimalCodec,
} from '../../core/codecs/index.js';
import { type BitLayout, InvalidIdError } from '../../core/index.js';

type MakeCodec = (layout: BitLayout, padded: boolean) => IdCodec<string>;

/** The codecs that write text and need no key, by their names on the command line. */
const CODECS = {
  decimal: () => decimalCodec(),
  'sortable-decimal': () => sortableDecimalCodec(),
  hex: () => hexCodec(),
  base32: (_, padded) => base32Codec({ padded }),
  base36: (_, padded) => base36Codec({ padded }),
  base62: (_, padded) => base62Codec({ padded }),
  readable: (layout) => readableCodec(layout),
} satisfies Record<string, MakeCodec>;

export type CodecName = keyof typeof CODECS;

/** Forms that no other codec writes, so that nobody has to name theirs. */
const EVIDENT: readonly { readonly form: RegExp; readonly codec: CodecName }[] = [
  { form: /^\d{8}T\d{9}-/, codec: 'readable' },
  { form: /^0\d{18}$/, codec: 'sortable-decimal' },
];

/** A decimal ID, an evident form, or anything after a prefix. */
const SOME_FORM = /^\d+$|^\d{8}T|_/;

/** Returns the option that names a codec. */
export function codecOption(description: string): Option {
  return new Option('--codec <name>', description).choices(Object.keys(CODECS));
}

/** Reads IDs in the form of a codec, with a prefix such as `ord_` or without. */
export class IdReader {
  /** @param codec default: what the form of each ID says, which is decimal, or base 62 after a prefix */
  constructor(
    private readonly layout: BitLayout,
    private readonly codec: CodecName | undefined,
  ) {}

  /** Returns the ID as a decimal string. @throws InvalidIdError */
  read(text: string): string {
    if (this.codec === undefined && !SOME_FORM.test(text)) {
      throw new InvalidIdError(text, 'is not decimal', 'Name its form with --codec.');
    }
    const end = text.lastIndexOf('_');
    const inner = this.codecOf(text.slice(end + 1), end < 0 ? 'decimal' : 'base62');
    return (end < 0 ? inner : prefixedCodec(text.slice(0, end), inner)).decode(text);
  }

  private codecOf(text: string, usual: CodecName): IdCodec<string> {
    const name = this.codec ?? EVIDENT.find(({ form }) => form.test(text))?.codec ?? usual;
    const make: MakeCodec = CODECS[name];
    const codec = make(this.layout, true);
    return text.length < codec.encode('0').length ? make(this.layout, false) : codec;
  }
}

/** Returns the codec with this name. */
export function codecNamed(name: CodecName, layout: BitLayout): IdCodec<string> {
  const make: MakeCodec = CODECS[name];
  return make(layout, true);
}
