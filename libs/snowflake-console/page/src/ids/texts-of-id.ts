import type { BitLayout } from 'nestjs-snowflake/core';
import {
  base32Codec,
  base36Codec,
  base62Codec,
  decimalCodec,
  hexCodec,
  type IdCodec,
  readableCodec,
  sortableDecimalCodec,
} from 'nestjs-snowflake/codecs';

export interface TextOfId {
  /** Name of the codec, as the library calls it. */
  readonly codec: string;
  readonly text: string;
}

const PLAIN_CODECS: readonly (readonly [string, () => IdCodec<string>])[] = [
  ['decimal', decimalCodec],
  ['sortableDecimal', sortableDecimalCodec],
  ['hex', hexCodec],
  ['base62', base62Codec],
  ['base36', base36Codec],
  ['base32', base32Codec],
];

/** Returns the ID as each codec of the library writes it. Leaves out a codec that can't write this ID. */
export function textsOf(id: string, layout: BitLayout): TextOfId[] {
  const codecs = [...PLAIN_CODECS, ['readable', () => readableCodec(layout)] as const];
  return codecs.flatMap(([codec, make]) => {
    try {
      return [{ codec, text: make().encode(id) }];
    } catch {
      return [];
    }
  });
}

/** Returns the 64 bits of an ID, the sign bit first. */
export function bitsOf(id: string): string {
  return BigInt.asUintN(64, BigInt(id)).toString(2).padStart(64, '0');
}
