export { bytesCodec } from './core/codecs/bytes-codec.js';
export type { IdCodec } from './core/codecs/id-codec.js';
export { prefixedCodec, type PrefixedCodec, type PrefixedId } from './core/codecs/prefixed-codec.js';
export {
  base32Codec,
  base36Codec,
  base62Codec,
  decimalCodec,
  hexCodec,
  sortableDecimalCodec,
  type PaddingOptions,
} from './core/codecs/radix-codecs.js';
export { readableCodec } from './core/codecs/readable-codec.js';
