import type { BitLayout } from '../layout/bit-layout.js';
import type { IdCodec } from './id-codec.js';
import {
  base32Codec,
  base36Codec,
  base62Codec,
  decimalCodec,
  hexCodec,
  sortableDecimalCodec,
} from './radix-codecs.js';
import { readableCodec } from './readable-codec.js';
import { uuidCodec } from './uuid-codec.js';

type MakeCodec = (layout: BitLayout, padded: boolean) => IdCodec<string>;

/** The codecs that write text and need no key, by the names that people choose them with. */
const CODECS = {
  decimal: () => decimalCodec(),
  'sortable-decimal': () => sortableDecimalCodec(),
  hex: () => hexCodec(),
  base32: (_, padded) => base32Codec({ padded }),
  base36: (_, padded) => base36Codec({ padded }),
  base62: (_, padded) => base62Codec({ padded }),
  readable: (layout) => readableCodec(layout),
  uuid: () => uuidCodec(),
} satisfies Record<string, MakeCodec>;

/** The name of a codec that writes text and needs no key. */
export type CodecName = keyof typeof CODECS;

/** All of these names. */
export const CODEC_NAMES = Object.keys(CODECS) as readonly CodecName[];

/** Returns the codec with this name. */
export function codecNamed(name: CodecName, layout: BitLayout, padded = true): IdCodec<string> {
  const make: MakeCodec = CODECS[name];
  return make(layout, padded);
}
