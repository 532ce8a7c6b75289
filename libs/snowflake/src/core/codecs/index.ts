export { bytesCodec } from './bytes-codec.js';
export type { IdCodec } from './id-codec.js';
export { prefixedCodec } from './prefixed-codec.js';
export {
  base32Codec,
  base36Codec,
  base62Codec,
  decimalCodec,
  hexCodec,
  sortableDecimalCodec,
  type PaddingOptions,
} from './radix-codecs.js';
export { readableCodec } from './readable-codec.js';
