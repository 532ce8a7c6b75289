import {
  base32Codec,
  base36Codec,
  base62Codec,
  type BitLayout,
  decimalCodec,
  hexCodec,
  type IdCodec,
  readableCodec,
  sortableDecimalCodec,
  uuidCodec,
} from 'nestjs-snowflake/core';

/** The codecs that write text and need no key, by their names in `npx nestjs-snowflake-cli`. */
const CODECS = {
  decimal: () => decimalCodec(),
  'sortable-decimal': () => sortableDecimalCodec(),
  hex: () => hexCodec(),
  base32: () => base32Codec(),
  base36: () => base36Codec(),
  base62: () => base62Codec(),
  readable: readableCodec,
  uuid: () => uuidCodec(),
} satisfies Record<string, (layout: BitLayout) => IdCodec<string>>;

export type CodecName = keyof typeof CODECS;

export const CODEC_NAMES = Object.keys(CODECS) as readonly CodecName[];

export interface TextOfId {
  readonly codec: CodecName;
  readonly text: string;
}

/** Returns the ID as each codec of the library writes it. Leaves out a codec that can't write this ID. */
export function textsOf(id: string, layout: BitLayout): TextOfId[] {
  return CODEC_NAMES.flatMap((codec) => {
    const text = textOf(id, codec, layout);
    return text === undefined ? [] : [{ codec, text }];
  });
}

/** Returns the ID as one codec writes it, or undefined if it can't. */
export function textOf(id: string, codec: CodecName, layout: BitLayout): string | undefined {
  try {
    return CODECS[codec](layout).encode(id);
  } catch {
    return undefined;
  }
}

/** Returns the 64 bits of an ID, the sign bit first. */
export function bitsOf(id: string): string {
  return BigInt.asUintN(64, BigInt(id)).toString(2).padStart(64, '0');
}
